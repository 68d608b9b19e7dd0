/** The messages of a conversation are a tree: each names the one that it follows. One path from a root to a leaf is active. */

export interface TreeNode {
  id: string;
  parent_id: string | null;
  created_at: number;
  active: number;
}

/** Values of `messages.active`; what is above zero is in the active branch. */
export const ACTIVE = 1;
export const INACTIVE = 0;
/** In the active branch, behind everything else: it gets its parent when its turn comes. */
export const UNPLACED = 2;

/** A place among the messages that follow the same one, oldest first. */
export interface Siblings {
  /** From 0. */
  index: number;
  count: number;
}

export const ALONE: Siblings = { index: 0, count: 1 };

/** Ids from the root to a message; empty where it is not there. A parent that is gone, or that leads back, is the end. */
export const pathTo = (nodes: readonly TreeNode[], id: string): string[] => {
  const parents = new Map(nodes.map((node) => [node.id, node.parent_id]));
  const path = new Set<string>();
  for (let at: string | null = id; at !== null && parents.has(at) && !path.has(at); ) {
    path.add(at);
    at = parents.get(at) ?? null;
  }
  return [...path].reverse();
};

/** The newest leaf of the branches that lead through a message. `nodes` are oldest first. */
export const leafUnder = (nodes: readonly TreeNode[], id: string): string => {
  const below = new Set([id]);
  let leaf = id;
  // A message is never older than the one that it follows.
  for (const node of nodes) {
    if (node.parent_id === null || !below.has(node.parent_id)) continue;
    below.add(node.id);
    leaf = node.id;
  }
  return leaf;
};

/** `nodes` are oldest first. */
export const siblingsOf = (nodes: readonly TreeNode[]): ReadonlyMap<string, Siblings> => {
  const known = new Set(nodes.map((node) => node.id));
  const groups = Map.groupBy(nodes, ({ parent_id: parent }) =>
    parent === null || !known.has(parent) ? null : parent,
  );
  const found = new Map<string, Siblings>();
  for (const group of groups.values())
    for (const [index, node] of group.entries()) found.set(node.id, { index, count: group.length });
  return found;
};

/** Whose mark has to change, so that the path to a leaf is the active branch and nothing else is. */
export const changesTo = (
  nodes: readonly TreeNode[],
  leaf: string,
): { on: readonly string[]; off: readonly string[] } => {
  const path = new Set(pathTo(nodes, leaf));
  return {
    on: nodes.flatMap(({ id, active }) => (path.has(id) && active !== ACTIVE ? [id] : [])),
    off: nodes.flatMap(({ id, active }) => (!path.has(id) && active !== INACTIVE ? [id] : [])),
  };
};
