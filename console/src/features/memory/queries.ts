import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  CreateMemoryEntityRequest,
  CreateMemoryRelationRequest,
  MemoryEntity,
  MemoryGraph,
  UpdateMemoryEntityRequest,
  UpdateMemoryRelationRequest,
} from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';
import { useMe } from '../../lib/me.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

const PAGE = 50;
/** The most that the API gives at once: what a browser draws smoothly. */
const GRAPH_ENTITIES = 5_000;
const CHOICES = 8;
const NAME_STALE_MS = 300_000;

/** All that holds now and that the person may read, the newest first; names for the tables come from it too. */
export const useGraph = ({ isMain }: { isMain: boolean }) => {
  const api = useApi();
  return useQuery({
    queryKey: ['memory', 'graph'],
    queryFn: ({ signal }) => api.memory.getGraph({ limit: GRAPH_ENTITIES }, { signal }),
    ...(isMain ? {} : { meta: { what: 'names, types and numbers of relations' } }),
    staleTime: 30_000,
  });
};

export const useEntities = (q: string, type: string) => {
  const api = useApi();
  return useCursorList(['memory', 'entities', q, type], (cursor, signal) =>
    api.memory.listEntities(
      {
        limit: PAGE,
        ...(q === '' ? {} : { q }),
        ...(type === '' ? {} : { type }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    ),
  );
};

/** A few that match, for choosing one of them. */
export const useEntityChoices = (q: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['memory', 'choices', q],
    queryFn: async ({ signal }) => (await api.memory.listEntities({ limit: CHOICES, q }, { signal })).items,
    meta: { what: 'entities to choose from' },
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
};

export const useEntity = (id: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: ['memory', 'entity', id],
    queryFn: ({ signal }) => api.memory.getEntity(id, { signal }),
    enabled: id !== '',
    // What the graph knows of it stands there at once.
    placeholderData: () =>
      queryClient.getQueryData<MemoryGraph>(['memory', 'graph'])?.entities.find((one) => one.id === id),
  });
};

/** The name of an entity that is not among those of the graph. */
export const useEntityName = (id: string, known: string | undefined) => {
  const api = useApi();
  return useQuery({
    queryKey: ['memory', 'name', id],
    queryFn: async ({ signal }) => (await api.memory.getEntity(id, { signal })).name,
    meta: { what: 'names of entities' },
    enabled: known === undefined,
    staleTime: NAME_STALE_MS,
  });
};

/** Relations by type; '' for all. `now`: only those that hold. */
export const useRelations = (type: string, now: boolean) => {
  const api = useApi();
  return useCursorList(['memory', 'relations', type, now], (cursor, signal) =>
    api.memory.listRelations(
      {
        limit: PAGE,
        ...(type === '' ? {} : { type }),
        ...(now ? { at: new Date().toISOString() } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    ),
  );
};

export const useRelationsOf = (entityId: string) => {
  const api = useApi();
  return useCursorList(['memory', 'relations-of', entityId], (cursor, signal) =>
    api.memory.listRelations(
      { limit: PAGE, entity_id: entityId, ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    ),
  );
};

export const useRelation = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['memory', 'relation', id],
    queryFn: ({ signal }) => api.memory.getRelation(id, { signal }),
    enabled: id !== '',
  });
};

/** Reads everything of the memory anew: a change of one record shows in lists, graph and details. */
const useChanged = () => {
  const queryClient = useQueryClient();
  return (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['memory'] });
};

/** As above but for one record that is gone: where it is shown still, asking for it again would be a 404. */
const useGone = (kind: 'entity' | 'relation', id: string) => {
  const queryClient = useQueryClient();
  return (): Promise<void> =>
    queryClient.invalidateQueries({
      queryKey: ['memory'],
      predicate: ({ queryKey }) => queryKey[1] !== kind || queryKey[2] !== id,
    });
};

export const useCreateEntity = () => {
  const api = useApi();
  const onSuccess = useChanged();
  return useMutation({
    mutationFn: (body: CreateMemoryEntityRequest) => api.memory.createEntity(body),
    onSuccess,
  });
};

export const useEntityActions = (id: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const changed = useChanged();
  const gone = useGone('entity', id);
  const onSuccess = async (entity: MemoryEntity): Promise<void> => {
    queryClient.setQueryData(['memory', 'entity', id], entity);
    await changed();
  };
  return {
    update: useMutation({
      mutationFn: (patch: UpdateMemoryEntityRequest) => api.memory.updateEntity(id, patch),
      onSuccess,
    }),
    merge: useMutation({
      mutationFn: (other: string) => api.memory.mergeEntities(id, { entity_id: other }),
      onSuccess,
    }),
    addFact: useMutation({
      mutationFn: (text: string) => api.memory.addObservations(id, { text }),
      onSuccess,
    }),
    correctFact: useMutation({
      mutationFn: ({ factId, text }: { factId: string; text: string }) =>
        api.memory.correctObservation(id, factId, { text }),
      onSuccess,
    }),
    removeFact: useMutation({
      mutationFn: (factId: string) => api.memory.deleteObservation(id, factId),
      onSuccess: changed,
    }),
    remove: useMutation({
      mutationFn: () => api.memory.deleteEntity(id),
      onSuccess: gone,
    }),
  };
};

export const useCreateRelation = () => {
  const api = useApi();
  const onSuccess = useChanged();
  return useMutation({
    mutationFn: (body: CreateMemoryRelationRequest) => api.memory.createRelation(body),
    onSuccess,
  });
};

export const useRelationActions = (id: string) => {
  const api = useApi();
  const changed = useChanged();
  const gone = useGone('relation', id);
  return {
    update: useMutation({
      mutationFn: (patch: UpdateMemoryRelationRequest) => api.memory.updateRelation(id, patch),
      onSuccess: changed,
    }),
    remove: useMutation({
      mutationFn: () => api.memory.deleteRelation(id),
      onSuccess: gone,
    }),
  };
};

export const useTransfer = () => {
  const api = useApi();
  const onSuccess = useChanged();
  return {
    download: useMutation({ mutationFn: () => api.memory.export() }),
    upload: useMutation({
      mutationFn: async (file: File) => api.memory.import(await file.text()),
      onSuccess,
    }),
  };
};

const SHARING_ROLES: readonly string[] = ['admin', 'operator'];

/** May the person share with the organisation, and change what is shared? The API decides all the same. */
export const useMayShare = (): boolean => {
  const { roles, permissions } = useMe();
  return roles.some((role) => SHARING_ROLES.includes(role)) || permissions.includes('memory:*');
};

/** May the person change this record? */
export const useMayChange = (ownerId: string | null | undefined): boolean => {
  const { sub, permissions } = useMe();
  const mayShare = useMayShare();
  return permissions.includes('memory:write') && (ownerId === sub || mayShare);
};
