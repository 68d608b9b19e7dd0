import { Link } from '@tanstack/react-router';
import { FileUp, FolderUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Bytes } from '../../components/figures.tsx';
import { Panel, Segments, StatusPill, type Tone } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import styles from './knowledge.module.css';
import { filesOfDrop, isFinished, type Upload, useUploads } from './uploads.ts';

type Visibility = 'private' | 'tenant';
const VISIBILITIES: readonly { value: Visibility; label: string }[] = [
  { value: 'private', label: 'Only me' },
  { value: 'tenant', label: 'Whole organisation' },
];

const STATES: Readonly<Record<Upload['state'], { tone: Tone; label: string }>> = {
  waiting: { tone: 'neutral', label: 'waiting' },
  sending: { tone: 'accent', label: 'sending' },
  indexing: { tone: 'accent', label: 'reading' },
  background: { tone: 'accent', label: 'sent' },
  done: { tone: 'good', label: 'ready' },
  failed: { tone: 'bad', label: 'failed' },
};

const UploadRow = ({ upload, onRetry }: { upload: Upload; onRetry: () => void }) => (
  <li className={styles.upload}>
    <span className={styles.uploadName}>
      {upload.documentId === null ? (
        upload.name
      ) : (
        <Link to={`/knowledge/${upload.documentId}`}>{upload.name}</Link>
      )}
    </span>
    <Bytes size={upload.sizeBytes} />
    <StatusPill tone={STATES[upload.state].tone}>
      {STATES[upload.state].label}
      {upload.state === 'sending' && ` ${Math.floor(upload.sent * 100)} %`}
    </StatusPill>
    {upload.state === 'sending' && (
      <progress className={styles.progress} value={upload.sent} aria-label={`${upload.name} sent`} />
    )}
    {upload.fault !== null && (
      <p className={styles.uploadFault}>
        {upload.fault}{' '}
        <Button kind="quiet" onClick={onRetry}>
          Try again
        </Button>
      </p>
    )}
  </li>
);

/** Takes files and folders, dropped or chosen, and says of each how far it is. */
export const UploadArea = () => {
  const { uploads, add, retry, clear } = useUploads();
  const toast = useToast();
  const [visibility, setVisibility] = useState<Visibility>('private');
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const finished = uploads.filter(({ state }) => isFinished(state)).length;

  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    filesOfDrop(event.dataTransfer).then((dropped) => add(dropped, visibility), toast.failed);
  };
  const choose = (input: HTMLInputElement): void => {
    add([...(input.files ?? [])], visibility);
    // So that the same file can be chosen again.
    input.value = '';
  };
  return (
    <Panel
      title="Add documents"
      actions={
        <Segments
          label="Who may read them"
          value={visibility}
          options={VISIBILITIES}
          onChange={setVisibility}
        />
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is the mouse's way; the buttons are everybody's */}
      <div
        className={styles.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p>
          <strong>Drop files or folders here.</strong> PDF, Word, PowerPoint, Excel, HTML, Markdown, text,
          CSV, JSON and e-mail.
        </p>
        <div className={styles.dropActions}>
          <Button kind="primary" onClick={() => files.current?.click()}>
            <FileUp size={16} aria-hidden="true" /> Choose files
          </Button>
          <Button onClick={() => folder.current?.click()}>
            <FolderUp size={16} aria-hidden="true" /> Choose a folder
          </Button>
        </div>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          data-testid="files"
          onChange={(event) => choose(event.currentTarget)}
        />
        <input
          ref={folder}
          type="file"
          hidden
          {...{ webkitdirectory: '' }}
          onChange={(event) => choose(event.currentTarget)}
        />
      </div>
      {uploads.length > 0 && (
        <div className={styles.uploads}>
          <div className={styles.uploadsHead} role="status">
            <span className="number">
              {finished} of {uploads.length} finished
            </span>
            {finished > 0 && (
              <Button kind="quiet" onClick={clear}>
                Clear finished
              </Button>
            )}
          </div>
          <ul>
            {uploads.map((upload) => (
              <UploadRow key={upload.key} upload={upload} onRetry={() => retry(upload.key)} />
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
};
