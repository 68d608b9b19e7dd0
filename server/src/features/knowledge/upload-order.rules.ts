/** Whose file is read next. */

export interface WaitingTenant {
  tenantId: string;
  /** Of its files, how many are read on all nodes. */
  running: number;
  /** When its oldest one came. */
  oldest: number;
}

export interface Turns {
  /** Tenants of the files that are read here. */
  here: readonly string[];
  /** When each tenant last had its turn here. */
  served: ReadonlyMap<string, number>;
  /** Without it, only a tenant has a turn of which nothing is read here. */
  room: boolean;
}

/**
 * Tenants take turns: first whoever has the fewest files at work, then whoever has waited longest for a turn. A tenant with
 * a hundred files waits for them itself, and another one for a single file of these at most.
 */
export const nextTenant = (
  tenants: readonly WaitingTenant[],
  { here, served, room }: Turns,
): string | null => {
  const [first] = tenants
    .filter(({ tenantId }) => room || !here.includes(tenantId))
    .sort(
      (a, b) =>
        a.running - b.running ||
        (served.get(a.tenantId) ?? 0) - (served.get(b.tenantId) ?? 0) ||
        a.oldest - b.oldest,
    );
  return first?.tenantId ?? null;
};
