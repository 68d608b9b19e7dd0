import { parentPort } from 'node:worker_threads';
import { extract } from './extract.ts';

/** The thread that reads messages for facts: one text comes in, what it says goes out. */

const port = parentPort;
if (!port) throw new Error('this file runs in a worker thread');
port.on('message', (text: string) => port.postMessage(extract(text)));
port.postMessage('ready');
