import { CalendarClock, ChevronLeft, ChevronRight } from 'lucide-react';
import type { Task } from 'pentarch-sdk';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Panel, Segments } from '../../components/surface.tsx';
import { calendarOf, type Day, dayKey, type Entry, type Span, shift } from './calendar.ts';
import { ownZone } from './cron.ts';
import { useSchedules } from './queries.ts';
import styles from './tasks.module.css';

const SPANS = [
  { value: 'month', label: 'Month' },
  { value: 'week', label: 'Week' },
] as const;
const SHOWN_IN_MONTH = 3;

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });
const dayName = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short' });
const longDay = new Intl.DateTimeFormat('en', { dateStyle: 'full' });
const weekday = new Intl.DateTimeFormat('en', { weekday: 'short' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

const titleOf = (days: readonly Day[], date: Date, span: Span): string => {
  const [first] = days;
  const last = days.at(-1);
  if (span === 'month' || first === undefined || last === undefined) return monthName.format(date);
  return `${dayName.format(first.date)} – ${dayName.format(last.date)}`;
};

const EntryButton = ({ entry, onOpen }: { entry: Entry; onOpen: (task: Task) => void }) => (
  <li>
    <button
      type="button"
      className={styles.entry}
      title={entry.task.description}
      onClick={() => onOpen(entry.task)}
    >
      <time dateTime={new Date(entry.firstMs).toISOString()}>{clock.format(entry.firstMs)}</time>
      <span>{entry.task.description}</span>
      {entry.count > 1 && (
        <span className={styles.count}>
          <span className="visually-hidden">and on, runs that day: </span>×{entry.count}
        </span>
      )}
    </button>
  </li>
);

interface DayCellProps {
  day: Day;
  span: Span;
  today: boolean;
  onOpen: (task: Task) => void;
  onWeek: (key: string) => void;
}

const DayCell = ({ day, span, today, onOpen, onWeek }: DayCellProps) => {
  const shown = span === 'month' ? day.entries.slice(0, SHOWN_IN_MONTH) : day.entries;
  const more = day.entries.length - shown.length;
  return (
    <li
      className={styles.day}
      data-outside={!day.inside || undefined}
      data-today={today || undefined}
      data-empty={day.entries.length === 0 || undefined}
      aria-label={longDay.format(day.date)}
      {...(today ? { 'aria-current': 'date' } : {})}
    >
      <span className={styles.date} aria-hidden="true">
        <span className={styles.short}>{day.date.getDate()}</span>
        <span className={styles.long}>{dayName.format(day.date)}</span>
      </span>
      {shown.length > 0 && (
        <ul>
          {shown.map((entry) => (
            <EntryButton key={entry.task.id} entry={entry} onOpen={onOpen} />
          ))}
        </ul>
      )}
      {more > 0 && (
        <button type="button" className={`${styles.entry} ${styles.more}`} onClick={() => onWeek(day.key)}>
          and {more} more
        </button>
      )}
    </li>
  );
};

interface CalendarProps {
  date: Date;
  span: Span;
  onMove: (change: { at?: string; span?: Span }) => void;
  onOpen: (task: Task) => void;
  create: ReactNode;
}

/** When what will run: worked out from the schedules in the browser, for any month or week to come. */
export const CalendarView = ({ date, span, onMove, onOpen, create }: CalendarProps) => {
  const { data, error, refetch } = useSchedules();
  if (data === undefined && error !== null)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  const now = new Date();
  const days = calendarOf(data ?? [], date, span, now.getTime());
  const today = dayKey(now);
  const nothing = days.every(({ entries }) => entries.length === 0);
  const move = (by: 1 | -1): void => onMove({ at: dayKey(shift(date, span, by)) });
  return (
    <Panel flush>
      <div className={styles.calendarHead}>
        <IconButton
          label={span === 'month' ? 'Month before' : 'Week before'}
          icon={<ChevronLeft size={16} />}
          onClick={() => move(-1)}
        />
        <IconButton
          label={span === 'month' ? 'Next month' : 'Next week'}
          icon={<ChevronRight size={16} />}
          onClick={() => move(1)}
        />
        <h2 aria-live="polite">{titleOf(days, date, span)}</h2>
        <Button onClick={() => onMove({ at: today })}>Today</Button>
        <Segments label="Span" value={span} options={SPANS} onChange={(next) => onMove({ span: next })} />
      </div>
      {data === undefined ? (
        <Skeleton height="34rem" />
      ) : data.length === 0 ? (
        <EmptyState icon={CalendarClock} title="Nothing is scheduled" action={create}>
          A task with a time or a schedule stands here on each day that it will run.
        </EmptyState>
      ) : (
        <>
          <div className={styles.weekdays} aria-hidden="true">
            {days.slice(0, 7).map((day) => (
              <span key={day.key}>{weekday.format(day.date)}</span>
            ))}
          </div>
          <ol className={styles.days} data-span={span} aria-label="Coming runs">
            {days.map((day) => (
              <DayCell
                key={day.key}
                day={day}
                span={span}
                today={day.key === today}
                onOpen={onOpen}
                onWeek={(key) => onMove({ at: key, span: 'week' })}
              />
            ))}
          </ol>
          <p className={`${styles.meta} ${styles.foot}`}>
            {nothing ? `No run is to come in this ${span}. ` : ''}
            Times of {ownZone()}, your own. What is paused does not run and is not shown.
          </p>
        </>
      )}
    </Panel>
  );
};
