import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useKeptText } from '../../lib/kept-text.ts';
import { sendsOnEnter } from '../../lib/pointer.ts';
import styles from './chat.module.css';

export const editKey = (messageId: string): string => `edit.${messageId}`;

interface EditorProps {
  messageId: string;
  text: string;
  onSend: (text: string) => void;
  onCancel: () => void;
}

/** A question in other words, in its place. What is written stays over a reload until its run has begun. */
export const QuestionEditor = ({ messageId, text: asked, onSend, onCancel }: EditorProps) => {
  const [kept, keep] = useKeptText(editKey(messageId));
  const [text, setText] = useState(kept === '' ? asked : kept);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);
  const cancel = (): void => {
    keep('');
    onCancel();
  };
  const send = (): void => {
    if (text.trim() !== '') onSend(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      cancel();
    } else if (sendsOnEnter(event)) {
      event.preventDefault();
      send();
    }
  };
  return (
    <form
      className={styles.editor}
      aria-label="Edit message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={2}
        maxLength={262_144}
        aria-label="Message in other words"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          keep(target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles.editorFoot}>
        <span className={styles.meta}>The first version stays.</span>
        <Button onClick={cancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={text.trim() === ''}>
          Send
        </Button>
      </div>
    </form>
  );
};
