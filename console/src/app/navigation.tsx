import { Link } from '@tanstack/react-router';
import { Keyboard, LogOut, Menu as MenuIcon, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { Drawer } from '../components/dialog.tsx';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from '../components/menu.tsx';
import type { Feature } from '../lib/feature.ts';
import { useMe } from '../lib/me.ts';
import { showShortcuts } from '../lib/shortcuts.ts';
import { setTheme, type Theme, useTheme } from '../lib/theme.ts';
import { Bell, MOST_SHOWN } from './bell.tsx';
import { PaletteButton } from './palette-opener.tsx';
import { useSession } from './session-context.ts';
import styles from './shell.module.css';
import { Mark } from './splash.tsx';

const Waiting = ({ use: useCount, words }: NonNullable<Feature['waiting']>) => {
  const count = useCount();
  if (count === 0) return null;
  return (
    <span className={styles.waiting}>
      <span aria-hidden="true">{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</span>
      <span className="visually-hidden">{words(count)}</span>
    </span>
  );
};

const NavLink = ({ feature, onFollow }: { feature: Feature; onFollow?: () => void }) => {
  const { icon: Icon, label, path } = feature;
  return (
    <Link
      to={path}
      className={styles.navLink}
      activeProps={{ 'aria-current': 'page' }}
      {...(onFollow ? { onClick: onFollow } : {})}
    >
      <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
      <span>{label}</span>
      {feature.waiting !== undefined && <Waiting {...feature.waiting} />}
    </Link>
  );
};

const THEMES: readonly { value: Theme; label: string; icon: React.ReactNode }[] = [
  { value: 'system', label: 'As the system', icon: <Monitor size={14} /> },
  { value: 'light', label: 'Light', icon: <Sun size={14} /> },
  { value: 'dark', label: 'Dark', icon: <Moon size={14} /> },
];

const UserMenu = () => {
  const me = useMe();
  const session = useSession();
  const theme = useTheme();
  const name = me.name === '' ? me.email : me.name;
  return (
    <Menu
      trigger={
        <button type="button" className={styles.user}>
          <span className="visually-hidden">Account: </span>
          <span className={styles.initials} aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.userText}>
            <span>{name}</span>
            <span className={styles.userMail}>{me.email}</span>
          </span>
        </button>
      }
    >
      <MenuLabel>{me.roles.join(', ')}</MenuLabel>
      <MenuChoice label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      <MenuSeparator />
      <MenuItem icon={<Keyboard size={14} />} onSelect={() => showShortcuts(true)}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem icon={<LogOut size={14} />} onSelect={() => void session.signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
};

/** The left side of wide windows. */
export const Rail = ({ features }: { features: readonly Feature[] }) => (
  <div className={styles.rail}>
    <div className={styles.top}>
      <Link to="/" className={styles.brand} aria-label="Pentarch, to the start">
        <Mark />
        Pentarch
      </Link>
      <Bell />
    </div>
    <PaletteButton />
    <nav aria-label="Main" className={styles.nav}>
      {features.map((feature) => (
        <NavLink key={feature.id} feature={feature} />
      ))}
    </nav>
    <UserMenu />
  </div>
);

/** The bottom of a phone: what is used most, and the rest in a drawer. */
export const BottomBar = ({ features }: { features: readonly Feature[] }) => {
  const [open, setOpen] = useState(false);
  const primary = features.filter((feature) => feature.primary === true).slice(0, 4);
  const close = (): void => setOpen(false);
  return (
    <>
      <nav aria-label="Main" className={styles.bottom}>
        {primary.map((feature) => (
          <NavLink key={feature.id} feature={feature} />
        ))}
        <button type="button" className={styles.navLink} onClick={() => setOpen(true)} aria-haspopup="dialog">
          <MenuIcon size={17} strokeWidth={1.75} aria-hidden="true" />
          <span>More</span>
        </button>
      </nav>
      <Drawer open={open} onClose={close} title="Pentarch">
        <PaletteButton onOpen={close} />
        <nav aria-label="All pages" className={styles.nav}>
          {features.map((feature) => (
            <NavLink key={feature.id} feature={feature} onFollow={close} />
          ))}
        </nav>
        <div className={styles.top}>
          <UserMenu />
          <Bell onFollow={close} />
        </div>
      </Drawer>
    </>
  );
};
