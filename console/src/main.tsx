import '@fontsource-variable/inter/wght.css';
import './tokens.css';
import './base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { keepPageOnDrop } from './lib/drops.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
keepPageOnDrop();
createRoot(root).render(<App />);
