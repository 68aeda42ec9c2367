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

Trees of bodies in space [P72], [E]; units are those of the model, row 0 of bodies is the ground

    symbol in the papers          code                          shape              unit
    ----------------------------  ----------------------------  -----------------  ----------
    coordinates and speeds, x_i   x, x_dot, x_ddot; u for u_r   (n_stage,)         rad or length
    shifters, SOK                 S                             (n_body + 1, 9)    1
    point of the joint, O_k       O; d from the parent's        (n_body + 1, 3)    length
    centre of mass, G_k, B*       G = O + r                     (n_body + 1, 3)    length
    place of O in the parent, ξ   xi, body axes                 (3,)               length
    angular velocity, ω, and α    omega, alpha                  (n_body + 1, 3)    rad/s, rad/s^2
    axis of a stage, a            axis, axis_dot                (n_stage, 3)       1
    partial velocities, ω_r, v_r  W, V of a slot; w_r, V_r      (n_stage, 3)       1, 1 or length
    Kane's equations (3.27)       A x_ddot = f + F              (n_stage, n_stage) effort
    generalised forces, F_r, F*_r F; -A x_ddot + f              (n_stage,)         effort
    effort along a stage          tau; of drivers: effort       (n_stage,)         force or moment
    inertia dyadic about G        I; table: xx yy zz xy xz yz   (3, 3); (6,)       mass length^2
    what a joint transmits        p = (moment about O, force)   (n_body + 1, 6)    moment, force
    its reaction across the axes  force (R), moment (T)         (n_body + 1, 3)    force, moment

Vector models of mechanisms in space [J84]; units are those of the model

    symbol in the thesis          code                          shape              unit
    ----------------------------  ----------------------------  -----------------  ----------
    direction cosines, {P_n}      P                             (n_vector, 3)      1
    length, P_n,4                 L, length                     (n_vector,)        length
    all parameters, P_n,1 ... 4   x, x_dot, x_ddot              (4 n_vector + ..,) 1, length
    vector, {R_n}                 vector, vector_dot            (3,)               length
    cosine of an angle, d_i       cosine                                           1
    [C_n], C(p) x = x × p         C(P)                          (3, 3)             1
    angular velocity, {Ω_n}       omega, omega_dot              (3,)               rad/s, rad/s^2
    (Ω_n, dP_n,4/dt) of all       w; its rate w_dot             (4 n_vector + ..,) rad/s, length/s
    spin, [P_n]{Ω_n}              sigma, spin                                      rad/s
    axes of an element, [E_k]     E, axes in rows               (3, 3)             1
    inertia, [I_k], [IE_k]        I in system, IE element axes  (3, 3)             mass length^2
    rate of momentum, {dW_k/dt}   M_acc w_dot + M_vel           (6,)               force, moment
    forces at a node, {F_k,j}     components of a connection    (6,)               force, moment
    moment of forces in (17)      lever(arm)                    (3, 3)             length

Symbols of bodies in loops in space

    quantity                      code                          shape              unit
    ----------------------------  ----------------------------  -----------------  ----------
    centre of mass and axes       r, d1, d2, d3; flat: Z, q     (12 n_body,)       length, 1
    second moments of the mass    E = tr J/2 - J                (3, 3)             mass length^2
    triad of a joint              m, n, u; u the axis           (3,) each          1

Indices: p particle, b body, j joint, c chain, e row of a table, k sample. Counts: n_part, n_body, n_joint, n_cut,
n_row. Arrays are named owner_property (body_parent); addresses where something starts end in _at.

Suffixes

    _q, _v, _t    partial derivative          _dot, _ddot   total time derivative
    r_PQ          vector from P to Q          _b            components fixed in a body
    0             value at the start (q0)

Words: a *particle* has mass and coordinates, a *point* is any named place; *joints* are kinematic, *forces* are not;
*tree joint* and *cut joint* are roles of a joint, not kinds. A *row* is one scalar equation, a *term* one monomial of
it, a *pair* a joint with a body outboard of it; a *kind* is a class of elements, a *spec* one element as the user wrote
it, a *table* all elements of a kind as numbers. A *stage* is one scalar motion of a joint of a tree; what lies beyond
a joint is *outboard*.

Signs: angles and moments are positive counter-clockwise; rows are second body minus first; lam is the force on the
second. In trees all turns are right-handed, and what a joint gives acts on the child.

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
