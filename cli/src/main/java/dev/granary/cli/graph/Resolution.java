package dev.granary.cli.graph;

/**
 * Counts how relations of one kind became edges.
 *
 * @param terms names in the fields of this kind, each alternative counted
 * @param edges edges to the package of that name and to each package that provides it, each pair counted once
 * @param otherVersionEdges the edges among them that concern other versions than the snapshot's
 * @param absentTerms terms that became no edge, because no package of the snapshot has or provides the name
 * @param absentNames different names among the absent terms
 * @param ownTerms terms that became no edge, because only the package itself has or provides the name
 */
public record Resolution(
        long terms, long edges, long otherVersionEdges, long absentTerms, long absentNames, long ownTerms) {}
