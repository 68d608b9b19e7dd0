/** Whether files are dragged, not text: that may go into a field. */
export const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') === true;

/** A file that misses the place that takes it is not opened by the browser in place of the console. */
export const keepPageOnDrop = (): void => {
  const keep = (event: DragEvent): void => {
    if (!hasFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', keep);
  addEventListener('drop', keep);
};
