# ruff: noqa: E501 (programs on one line)
"""What programs take of networkx: the same nodes, edges and numbers as networkx 3.6 gives."""

from __future__ import annotations

import hashlib

import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_GRAPHS = """\
import networkx as nx
import numpy as np
G = nx.karate_club_graph()
D = nx.DiGraph([(1, 2), (2, 3), (1, 3)])
P = nx.path_graph(4)
W = nx.Graph()
W.add_weighted_edges_from([("a", "b", 2.5), ("b", "c", 1), ("a", "c", 4)])
W.add_node("z", color="red")
R = nx.erdos_renyi_graph(12, .3, seed=4)
"""
# What is asked -> the hash of what networkx 3.6.1 tells.
TOLD = {
    'str(G), len(G), G.number_of_edges(), G.nodes[3], list(G.edges(data=True))[:3], G.degree[0], dict(G.degree())[33], list(G.neighbors(4)), G.has_edge(0, 1), 0 in G, G[0][1], list(G.nodes(data="club"))[:3]': "ae93caeacb9c85bd",
    'nx.to_numpy_array(G)[:3, :6], nx.to_numpy_array(G, weight=None).sum(), nx.adjacency_matrix(G).shape, nx.adjacency_matrix(P).todense(), nx.laplacian_matrix(P).toarray(), nx.normalized_laplacian_matrix(P).toarray().round(6), nx.adjacency_matrix(P).dtype, nx.adjacency_matrix(W).toarray()': "e31e67de51c90095",
    'str(D), D.edges, D.in_degree(3), dict(D.out_degree()), list(D.predecessors(3)), list(D.successors(1)), list(nx.topological_sort(D)), nx.is_directed_acyclic_graph(D), list(D.in_edges(3)), D.reverse().edges, D.degree, D.to_undirected().edges': "285c83f1b56e7c40",
    'P.nodes, P.edges, P.degree, P.adj, P[1], P.nodes(data=True), P.edges(data=True), list(P), P.size(), W.nodes["z"], W.edges["a", "b"], W.edges(data="weight"), W.size(weight="weight"), W.degree(weight="weight"), P.edges([1]), str(P.nodes), str(P.edges)': "428f02be6eb56eee",
    'R.edges, nx.barabasi_albert_graph(10, 2, seed=1).edges, nx.star_graph(3).edges, nx.cycle_graph(4).edges, nx.complete_graph(4).edges, nx.grid_2d_graph(2, 3).edges, nx.complete_bipartite_graph(2, 2).edges': "1ddd66fb549c7db4",
    'nx.shortest_path(G, 14, 16), nx.shortest_path_length(G, 14, 16), nx.dijkstra_path(W, "a", "c"), nx.dijkstra_path_length(W, "a", "c"), nx.shortest_path(W, "a", "c", weight="weight"), dict(nx.shortest_path_length(P))[0], nx.has_path(W, "a", "z"), [sorted(c) for c in nx.connected_components(W)], nx.is_connected(G), nx.diameter(G), nx.average_shortest_path_length(G), nx.number_connected_components(R)': "a660961875e89300",
    'nx.density(G), nx.clustering(G, 0), nx.average_clustering(G), nx.transitivity(G), nx.triangles(G)[0], nx.degree_centrality(G)[0], nx.closeness_centrality(G)[0], {k: round(v, 9) for k, v in nx.pagerank(G).items()}, nx.degree_histogram(P)': "38f356ff8e8ee033",
    'nx.from_numpy_array(np.array([[0, 2], [2, 0]])).edges(data=True), nx.from_edgelist([(1, 2), (2, 3)]).nodes, G.subgraph([0, 1, 2]).edges, nx.relabel_nodes(P, {0: "s"}).nodes, nx.convert_node_labels_to_integers(W).edges, nx.get_node_attributes(W, "color"), nx.get_edge_attributes(W, "weight"), W.copy().edges, nx.Graph({0: [1, 2]}).edges, nx.compose(P, nx.path_graph(6)).edges': "81273c67bd3a8b26",
}


def test_graphs_tell_what_those_of_networkx_tell() -> None:
    lines = printed(_GRAPHS + "".join(f"print(repr(({text})).replace(chr(10), ' '))\n" for text in TOLD)).splitlines()
    for text, line in zip(TOLD, lines, strict=True):
        assert hashlib.sha256(line.encode()).hexdigest()[:16] == TOLD[text], text


@pytest.mark.filterwarnings("ignore:networkx draws nothing")
def test_nothing_is_drawn_and_what_a_picture_would_tell_is_refused() -> None:
    assert printed("import networkx as nx\nG = nx.path_graph(3)\nG.remove_node(1)\nnx.draw(G, nx.spring_layout(G))\nprint(G)\n") == "Graph with 2 nodes and 0 edges\n"
    with pytest.raises(GradcliError, match="where networkx would draw nodes is not in gradcli"):
        program("import networkx as nx\nnx.spring_layout(nx.path_graph(2))[0]\n").run()
