import type { EntityMention } from 'pentarch-memory-patterns';
import type { Caller } from '../../kernel/caller.ts';
import { personalScope } from './access.rules.ts';
import { speakerOf } from './observe.ts';
import type { FactSource } from './records.ts';
import { isSelf } from './tool-form.ts';
import type { ToolParts } from './tool-parts.ts';

/** Names that a tool is given, as entities of the caller's memory. */
export const createToolMentions = ({ entities, clock }: Pick<ToolParts, 'entities' | 'clock'>) => {
  const mentionOf = async (
    caller: Caller,
    name: string,
    type: string | undefined,
  ): Promise<EntityMention | null> => {
    if (isSelf(name)) return null;
    const known = await entities.byName(personalScope(caller), name, type ?? null);
    return { name: known?.name ?? name.trim(), entityType: type ?? known?.entityType ?? 'thing' };
  };

  /** Id of an entity to tie a relation to: one that is there, or a new one in the caller's memory. */
  const endOf = async (caller: Caller, name: string, type: string | undefined, source: FactSource) => {
    const mention = await mentionOf(caller, name, type);
    const speaker = speakerOf(caller);
    const known =
      mention === null ? null : await entities.byName(personalScope(caller), mention.name, type ?? null);
    if (known !== null) return { id: known.id, name: known.name };
    const made = await entities.upsert(
      {
        tenantId: caller.tenantId,
        owner: caller.userId,
        name: mention?.name ?? speaker.name,
        entityType: mention?.entityType ?? 'person',
        importance: null,
        subjectUserId: mention === null ? caller.userId : null,
      },
      [],
      source,
      clock.now(),
    );
    return { id: made.id, name: mention?.name ?? speaker.name };
  };

  return { mentionOf, endOf };
};

export type ToolMentions = ReturnType<typeof createToolMentions>;
