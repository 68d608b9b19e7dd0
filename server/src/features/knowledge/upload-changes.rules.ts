import type { DocumentChanges, UploadInput, UploadRequest } from './ports.ts';
import { withPatch } from './rules.ts';

type Fields = Pick<UploadInput, 'metadata' | 'sharing'>;

/**
 * What an upload leaves out, it has of those of its name before it (newest first), as a new version has it of its document: they
 * may have failed, or be overtaken by it.
 */
export const withFieldsBefore = <T extends Fields>(upload: T, before: readonly Fields[]): T => ({
  ...upload,
  metadata: upload.metadata ?? before.find(({ metadata }) => metadata !== null)?.metadata ?? null,
  sharing: upload.sharing ?? before.find(({ sharing }) => sharing !== null)?.sharing ?? null,
});

/** Of an upload that is no document yet: it becomes what a PATCH makes of it. Another title takes back what was vouched for. */
export const changedRequest = (
  request: UploadRequest,
  changes: DocumentChanges,
  when: string,
): UploadRequest => {
  const { title, metadata, sharing, trusted } = changes;
  const isRetitled = title !== undefined && title !== request.title;
  return {
    ...request,
    title: title ?? request.title,
    metadata: metadata ?? request.metadata,
    sharing: sharing ?? request.sharing,
    trusted: isRetitled || trusted === false ? null : request.trusted,
    patched: withPatch(request.patched ?? {}, changes, when),
    changed: when,
  };
};
