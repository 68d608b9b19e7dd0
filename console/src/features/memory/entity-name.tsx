import { Skeleton } from '../../components/states.tsx';
import styles from './memory.module.css';
import { useEntityName } from './queries.ts';

/** An entity's name where only its id is at hand: from the graph, or asked for. */
export const EntityName = ({ id, known }: { id: string; known: string | undefined }) => {
  const { data, error } = useEntityName(id, known);
  const name = known ?? data;
  if (name !== undefined) return <bdi className={styles.name}>{name}</bdi>;
  return error === null ? <Skeleton width="6rem" /> : <span className={styles.quiet}>not yours to read</span>;
};
