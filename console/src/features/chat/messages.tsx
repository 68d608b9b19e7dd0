import type { Citation, Message, RegenerateMessageRequest } from 'pentarch-sdk';
import { useRef } from 'react';
import type { Choices } from './answer-menu.tsx';
import { writtenOf } from './attached.ts';
import { placeOf } from './branch.ts';
import styles from './chat.module.css';
import { Answer, answerOfMessage, Question } from './message-view.tsx';
import { Versions } from './versions.tsx';

/** What can be done with messages. */
export interface Does {
  regenerate: (message: Message, by: RegenerateMessageRequest) => void;
  edit: (message: Message, words: string) => void;
  fork: (message: Message) => void;
  pick: (message: Message, index: number, place: Element | null) => void;
}

interface MessagesProps {
  messages: readonly Message[];
  /** The one that a search has led to. */
  found: string | null;
  nameOf: (agentId: string) => string;
  onCite: (citation: Citation) => void;
  mayRate: boolean;
  choices: Choices;
  /** null: nothing can be done just now. */
  does: Does | null;
  editing: string | null;
  onEditing: (id: string | null) => void;
}

type OneProps = Omit<MessagesProps, 'messages' | 'found'> & { message: Message; isLast: boolean };

const One = ({ message, isLast, ...props }: OneProps) => {
  const { nameOf, onCite, mayRate, choices, does, editing, onEditing } = props;
  const place = useRef<HTMLSpanElement>(null);
  const isQuestion = message.role === 'user';
  const versions = (
    <span ref={place} className={styles.versionsPlace}>
      <Versions
        of={message.siblings}
        what={isQuestion ? 'message' : 'answer'}
        onPick={does === null ? null : (index) => does.pick(message, index, place.current)}
      />
    </span>
  );
  const fork = does === null ? null : () => does.fork(message);
  if (!isQuestion) {
    const onAgain =
      does === null || message.parent_id === null
        ? null
        : (by: RegenerateMessageRequest) => does.regenerate(message, by);
    return (
      <Answer
        answer={answerOfMessage(message)}
        nameOf={nameOf}
        onCite={onCite}
        mayRate={mayRate}
        actions={{ versions, onAgain, onFork: fork, choices }}
      />
    );
  }
  return (
    <Question
      id={message.id}
      {...writtenOf(message)}
      {...(message.pictures === undefined
        ? {}
        : { pictures: { conversation: message.conversation_id, stored: message.pictures } })}
      fault={message.error?.message ?? null}
      actions={{
        versions,
        editing: editing === message.id,
        onEditing: does === null ? null : (on) => onEditing(on ? message.id : null),
        onEdit: (words) => does?.edit(message, words),
        onRetry: does === null || !isLast ? null : () => does.regenerate(message, {}),
        onFork: fork,
      }}
    />
  );
};

/** The messages of a branch, each at a place of its own that its versions share. */
export const Messages = ({ messages, found, ...props }: MessagesProps) =>
  messages.map((message, at) => (
    <div
      key={placeOf(message, at)}
      className={styles.place}
      data-message={message.id}
      data-found={message.id === found || undefined}
      tabIndex={message.id === found ? -1 : undefined}
    >
      <One message={message} isLast={at === messages.length - 1} {...props} />
    </div>
  ));
