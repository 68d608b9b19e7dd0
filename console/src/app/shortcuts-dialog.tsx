import { Dialog } from '../components/dialog.tsx';
import { Switch } from '../components/field.tsx';
import { PALETTE_KEYS } from '../lib/palette.ts';
import { setSingleKeys, useSingleKeys } from '../lib/shortcuts.ts';
import styles from './shortcuts-dialog.module.css';

const GROUPS: readonly {
  title: string;
  keys: readonly { keys: readonly string[]; does: string; single?: true }[];
}[] = [
  {
    title: 'Everywhere',
    keys: [
      { keys: PALETTE_KEYS, does: 'Search, or go to a page, conversation or document' },
      { keys: ['?'], does: 'Show this list', single: true },
      { keys: ['Tab'], does: 'To the next control; Shift goes back' },
      { keys: ['Esc'], does: 'Close what lies over the page' },
      { keys: ['↑', '↓'], does: 'Between the rows of a table' },
      { keys: ['Enter'], does: 'Open the row' },
      { keys: ['←', '→'], does: 'Between tabs' },
    ],
  },
  {
    title: 'Chat',
    keys: [
      { keys: ['/'], does: 'To the message field', single: true },
      { keys: ['n'], does: 'New conversation', single: true },
      { keys: ['Enter'], does: 'Send' },
      { keys: ['Shift', 'Enter'], does: 'New line' },
      { keys: ['Esc'], does: 'Stop the answer' },
      { keys: ['←', '→'], does: 'On ‹ 2/3 ›: between versions' },
      { keys: ['/', 'a…z'], does: 'In the field: choose an agent by name' },
    ],
  },
  {
    title: 'Memory',
    keys: [{ keys: ['Enter'], does: 'In the search: go to what is found in the graph' }],
  },
];

const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => {
  const on = useSingleKeys();
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <div className={styles.groups}>
        {GROUPS.map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3>{group.title}</h3>
            <dl className={styles.list}>
              {group.keys.map((one) => (
                <div
                  key={one.does}
                  className={styles.line}
                  data-off={(one.single === true && !on) || undefined}
                >
                  <dt>{one.does}</dt>
                  <dd>
                    {one.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Switch
          label="Shortcuts of a single key"
          hint="Switch them off where speech input would set them off. This list stays in the account menu."
          checked={on}
          onChange={setSingleKeys}
        />
      </div>
    </Dialog>
  );
};

/** Loaded when it is first asked for. */
export default ShortcutsDialog;
