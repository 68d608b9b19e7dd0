import { parentPort } from 'node:worker_threads';
import { extract } from './extract.ts';

/** The thread that reads messages for facts: some texts come in, what each says goes out. */

const port = parentPort;
if (!port) throw new Error('this file runs in a worker thread');
port.on('message', (texts: string[]) => port.postMessage(texts.map(extract)));
port.postMessage('ready');
