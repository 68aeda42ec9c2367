"""From one mechanism to the best one: derivatives by its numbers, root loci, optimisation, and fronts of two aims.

variables    numbers of a mechanism by name, other values of them, and what follows
asking       figures and functions of a run, a cycle, modes or a rest position, asked of many variants
frozen       runs of variants on the steps of one of them
differences  derivatives of smooth functions, with their errors
sensitivities, locus, optimising, fronts     the verbs
conditions   what is demanded of a variant, in words
seeking      the methods that look for the best
"""
