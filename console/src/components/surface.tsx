import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './surface.module.css';

interface PageHeadProps {
  title: string;
  /** One sentence: what this page is for. */
  about?: string;
  actions?: ReactNode;
}

/** First thing of every page; its h1 takes the focus after a change of page. */
export const PageHead = ({ title, about, actions }: PageHeadProps) => (
  <header className={styles.pageHead}>
    <div>
      <h1 tabIndex={-1} data-page-title>
        {title}
      </h1>
      {about !== undefined && <p>{about}</p>}
    </div>
    {actions !== undefined && <div className={styles.pageActions}>{actions}</div>}
  </header>
);

/** Above the head of a page that belongs to a list: the way back to it. */
export const BackLink = ({ to, children }: { to: string; children: string }) => (
  <nav aria-label="Back">
    <Link to={to} className={styles.backLink}>
      <ArrowLeft size={14} aria-hidden="true" />
      {children}
    </Link>
  </nav>
);

interface PanelProps {
  title?: string;
  actions?: ReactNode;
  /** Without padding, for tables. */
  flush?: boolean;
  children: ReactNode;
}

export const Panel = ({ title, actions, flush = false, children }: PanelProps) => (
  <section className={styles.panel} aria-label={title}>
    {(title !== undefined || actions !== undefined) && (
      <div className={styles.panelHead}>
        <h2>{title}</h2>
        {actions}
      </div>
    )}
    <div className={flush ? undefined : styles.panelBody}>{children}</div>
  </section>
);

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

const toneClass = (tone: Tone): string => `${styles.badge} ${tone === 'neutral' ? '' : styles[tone]}`;

export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={toneClass(tone)}>{children}</span>
);

/** A state, in colour and in words: colour alone tells some people nothing. */
export const StatusPill = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={toneClass(tone)}>
    <span className={styles.dot} aria-hidden="true" />
    {children}
  </span>
);

/** Two letters that no other of the eleven has, where the first two would not do. */
const LETTERS: Readonly<Record<string, string>> = {
  hermes: 'Hm',
  hephaestus: 'Hp',
  hestia: 'Ht',
  memorix: 'Mx',
  morpheus: 'Mo',
  aegis: 'AE',
};

export const agentLetters = (id: string, name: string): string => LETTERS[id] ?? name.slice(0, 2);

/** The agent's own hue and letters; its name stands beside it. */
export const AgentAvatar = ({ id, name, small = false }: { id: string; name: string; small?: boolean }) => (
  <span className={`${styles.avatar} ${small ? styles.small : ''}`} data-agent={id} aria-hidden="true">
    {agentLetters(id, name)}
  </span>
);

interface SegmentsProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** A few choices that take effect at once, such as the window of a chart. */
export const Segments = <T extends string>({ label, value, options, onChange }: SegmentsProps<T>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders and a legend that no toolbar has
  <div role="group" aria-label={label} className={styles.segments}>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        className={styles.segment}
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.label}
      </button>
    ))}
  </div>
);
