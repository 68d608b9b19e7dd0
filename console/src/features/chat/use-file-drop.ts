import { type RefObject, useEffect, useRef, useState } from 'react';
import { hasFiles } from '../../lib/drops.ts';

/** Takes files that are dropped anywhere in the zone; true while some hang above it. null: none are taken. */
export const useFileDrop = (
  zone: RefObject<HTMLElement | null>,
  onFiles: ((files: Iterable<File>) => void) | null,
): boolean => {
  const [isOver, setIsOver] = useState(false);
  const taken = useRef(onFiles);
  useEffect(() => {
    taken.current = onFiles;
  });
  const takes = onFiles !== null;
  useEffect(() => {
    const element = zone.current;
    if (element === null || !takes) return;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget: next }: DragEvent): void => {
      if (!(next instanceof Node && element.contains(next))) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      setIsOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      taken.current?.(event.dataTransfer?.files ?? []);
    };
    element.addEventListener('dragover', over);
    element.addEventListener('dragleave', leave);
    element.addEventListener('drop', drop);
    return () => {
      setIsOver(false);
      element.removeEventListener('dragover', over);
      element.removeEventListener('dragleave', leave);
      element.removeEventListener('drop', drop);
    };
  }, [zone, takes]);
  return isOver;
};
