/**
 * `Content-Disposition` of a download (RFC 6266): a plain name for old clients, and the real one in UTF-8 (RFC 8187)
 * where it differs. Nothing of the name can leave its quotes or its line.
 */
export const contentDisposition = (filename: string): string => {
  const plain = filename.replaceAll(/[^ !#$&'()+,\-.0-9;=@A-Z[\]^_`a-z{}~]/g, '_');
  const base = `attachment; filename="${plain}"`;
  if (plain === filename) return base;
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${base}; filename*=UTF-8''${encoded}`;
};
