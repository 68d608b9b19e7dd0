import type { Message } from 'pentarch-sdk';
import { useEffect, useState } from 'react';
import { useApi } from '../../lib/api.ts';
import type { SentFile } from './attached.ts';
import styles from './chat.module.css';

/** Pictures of a question: as the server has them, or as they are on their way. */

type Stored = NonNullable<Message['pictures']>[number];

const Picture = ({ url, name }: { url: string; name: string }) => (
  <a href={url} target="_blank" rel="noreferrer" aria-label={`Open ${name}`}>
    <img src={url} alt={name} className={styles.picture} />
  </a>
);

const StoredPicture = ({ conversation, picture }: { conversation: string; picture: Stored }) => {
  const api = useApi();
  const [url, setUrl] = useState<string | null>(null);
  const [isGone, setIsGone] = useState(false);
  const { id, name } = picture;
  useEffect(() => {
    let made: string | null = null;
    let left = false;
    api.conversations.getPicture(conversation, id).then(
      (blob) => {
        if (left) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => setIsGone(true),
    );
    return () => {
      left = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [api, conversation, id]);
  if (url !== null) return <Picture url={url} name={name} />;
  return <span className={styles.chip}>{isGone ? `${name} could not be loaded` : name}</span>;
};

export interface ShownPictures {
  conversation: string;
  stored: readonly Stored[];
}

export const QuestionPictures = ({
  shown,
  sent,
}: {
  shown: ShownPictures | undefined;
  sent: readonly SentFile[];
}) => (
  <ul className={styles.pictures} aria-label="Pictures">
    {shown?.stored.map((picture) => (
      <li key={picture.id}>
        <StoredPicture conversation={shown.conversation} picture={picture} />
      </li>
    ))}
    {sent.map(({ documentId, name, image = '' }) => (
      <li key={documentId}>
        <Picture url={image} name={name} />
      </li>
    ))}
  </ul>
);
