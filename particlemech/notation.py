"""Symbols, suffixes, words and sources, as used all over the code. There is nothing to import here.

Symbols

    symbol in the papers          code                          shape              unit
    ----------------------------  ----------------------------  -----------------  ----------
    position of particles, r_p    r; flat: q                    (n_part, 2)        m
    velocity, acceleration        v, a                          like q             m/s, m/s^2
    equivalent masses, m_p        m                             per body (n_eq,)   kg
    constraint rows, Φ            phi, phi_dot, phi_ddot        (n_row,)           m or 1
    their derivative, Φ_q         phi_q                         sparse
    multipliers of cut joints, λ  lam                           (n_lam,)           N or N m
    stabilising multipliers, μ    mu                            (n_row,)
    outboard wrench about O       w = (Rx, Ry, tau)             (n_body, 3)        N, N, N m
    applied force on particles    f, with f_q and f_v           (n_part, 2)        N
    unknowns of the DAE           y, yp                         (n,)
    IDA's scalar, dF/dy + cj dF/dy'  cj                                            1/s
    size of a mechanism           L, M, T (system.Scale)                           m, kg, s

Indices: p particle, b body, j joint, c chain, e row of a table, k sample. Counts: n_part, n_body, n_joint, n_cut,
n_row. Arrays are named owner_property (body_parent); addresses where something starts end in _at.

Suffixes

    _q, _v, _t    partial derivative          _dot, _ddot   total time derivative
    r_PQ          vector from P to Q          _b            components fixed in a body
    0             value at the start (q0)

Words: a *particle* has mass and coordinates, a *point* is any named place; *joints* are kinematic, *forces* are not;
*tree joint* and *cut joint* are roles of a joint, not kinds. A *row* is one scalar equation, a *term* one monomial of
it, a *pair* a joint with a body outboard of it; a *kind* is a class of elements, a *spec* one element as the user wrote
it, a *table* all elements of a kind as numbers.

Signs: angles and moments are positive counter-clockwise; rows are second body minus first; lam is the force on the
second.

Sources; a tag with a number in parentheses is an equation there, and one that had to be corrected says (errata)

    [A00]  H. A. Attia, A recursive method for the dynamic analysis of a system of rigid bodies in plane motion.
           Department of Engineering Mathematics and Physics, Faculty of Engineering, Cairo University (El-Fayoum
           Branch), received 15 February 2000.
    [P72]  C. E. Passerello and R. L. Huston, An analysis of general chain systems. Department of Engineering Analysis,
           University of Cincinnati, NASA report N72-30352, 1972.
    [J84]  D. W. Johnson, A method for the computer-aided dynamic analysis of spatial mechanisms. M.Sc. thesis,
           Mechanical Engineering, Montana State University, Bozeman, May 1984.
    [G88]  P. L. Graves and D. Tesar, The effect of inertial coupling in the dynamics and control of flexible robotic
           manipulators. Final report, Department of Mechanical Engineering, University of Texas at Austin, August 1988.
    [E]    Essential dynamics relationships: Newton-Euler, the motion law and Kane's method for bodies connected by
           joints. Lecture notes, no author or year given.
"""
