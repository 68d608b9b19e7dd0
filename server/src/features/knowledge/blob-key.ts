/** Under what name a document's bytes are kept: a blob of its own, so that deleting one never touches what another has. */
export const blobKey = (document: { id: string; sha256: string }): string =>
  `${document.sha256}.${document.id}`;
