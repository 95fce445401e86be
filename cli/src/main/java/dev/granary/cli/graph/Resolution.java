package dev.granary.cli.graph;

/**
 * How the relations of one kind became edges.
 *
 * @param terms names in the fields of this kind, each alternative counted
 * @param edges edges they became: to the package of that name, to each package that provides it, each pair once
 * @param otherVersionEdges those of the edges that speak of other versions than the snapshot's
 * @param absentTerms terms that became no edge, because no package of the snapshot has or provides the name
 * @param absentNames different names among them
 * @param ownTerms terms that became no edge, because only the package itself has or provides the name
 */
public record Resolution(
        long terms, long edges, long otherVersionEdges, long absentTerms, long absentNames, long ownTerms) {}
