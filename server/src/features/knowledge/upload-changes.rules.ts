import type { DocumentChanges, UploadRequest } from './ports.ts';
import { withPatch } from './rules.ts';

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
