import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Config, isLoopback } from '../../config.ts';
import { composeModels } from '../../modules/models.ts';
import { type Finding, fail, ok, reasonOf, warn } from './check.ts';

const TIMEOUT_MS = 5_000;
const MODEL_TIMEOUT_MS = 20_000;

const portFinding = (config: Config): Promise<Finding> =>
  new Promise((resolve) => {
    const what = 'port';
    const probe = createServer();
    probe.once('error', (error) => {
      const taken = 'code' in error && error.code === 'EADDRINUSE';
      resolve(
        taken
          ? warn(
              what,
              `${config.HOST}:${config.PORT} is taken: by this server if it runs, else set PORT to another`,
            )
          : fail(
              what,
              `${config.HOST}:${config.PORT}: ${error.message}. Set HOST and PORT to what this account may listen on`,
            ),
      );
    });
    probe.listen(config.PORT, config.HOST, () =>
      probe.close(() =>
        resolve(ok(what, `${config.HOST}:${config.PORT === 0 ? 'any' : config.PORT} is free`)),
      ),
    );
  });

/** Asks with PING; a server that wants a password first answers too. */
const redisFinding = (address: string): Promise<Finding> =>
  new Promise((resolve) => {
    const url = new URL(address);
    const host = url.hostname;
    const port = Number(url.port || 6379);
    const socket =
      url.protocol === 'rediss:' ? connectTls({ host, port, servername: host }) : connect({ host, port });
    const done = (finding: Finding): void => {
      socket.destroy();
      resolve(finding);
    };
    const advice = 'Check REDIS_URL and that the server runs';
    socket.setTimeout(TIMEOUT_MS, () => done(fail('redis', `no answer from ${host}:${port}. ${advice}`)));
    socket.once('error', (error) => done(fail('redis', `${host}:${port}: ${error.message}. ${advice}`)));
    const password = decodeURIComponent(url.password);
    const user = decodeURIComponent(url.username);
    const auth = password === '' ? [] : user === '' ? [['AUTH', password]] : [['AUTH', user, password]];
    const text = [...auth, ['PING']]
      .map(
        (words) => `*${words.length}\r\n${words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join('')}`,
      )
      .join('');
    socket.once('connect', () => socket.write(text));
    let answer = '';
    socket.on('data', (part: Buffer) => {
      answer += part.toString();
      if (answer.includes('-'))
        done(
          fail(
            'redis',
            `${host}:${port} refuses: ${answer.trim().slice(0, 200)}. Check the password in REDIS_URL`,
          ),
        );
      else if (answer.includes('+PONG')) done(ok('redis', `${host}:${port} answers`));
    });
  });

const CERT_WARN_MS = 14 * 86_400_000;

const tlsFinding = (config: Config, now: number): Finding => {
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = config;
  if (cert === null || key === null) {
    if (isLoopback(config.HOST)) return ok('tls', 'none: only this machine can connect');
    return config.TRUST_PROXY.length > 0
      ? ok('tls', `by the proxy (${config.TRUST_PROXY.join(', ')})`)
      : warn(
          'tls',
          'none, and other machines can connect: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY behind a proxy',
        );
  }
  try {
    readFileSync(key);
    const until = Date.parse(new X509Certificate(readFileSync(cert)).validTo);
    const text = `certificate good until ${new Date(until).toISOString()}`;
    if (until < now) return fail('tls', 'the certificate has expired: renew it');
    return until - now < CERT_WARN_MS ? warn('tls', `${text}: renew it soon`) : ok('tls', text);
  } catch (error) {
    return fail(
      'tls',
      `${reasonOf(error)}. TLS_CERT_FILE and TLS_KEY_FILE must be PEM files that this account can read`,
    );
  }
};

/** One word from the default model, so that key, address and model name are all proved. */
const modelFinding = async (config: Config, now: () => number): Promise<Finding> => {
  const what = 'model';
  const models = await composeModels(config, { now });
  try {
    const ref = models.defaultModel;
    if (ref.id === 'builtin') {
      return warn(
        what,
        'builtin: answers are extracted from documents. For a language model set MODEL and a key',
      );
    }
    await models.generate(ref, {
      messages: [{ role: 'user', content: 'Answer with the word ok.' }],
      maxOutputTokens: 16,
      signal: AbortSignal.timeout(MODEL_TIMEOUT_MS),
    });
    return ok(what, `${ref.id} answers`);
  } catch (error) {
    return fail(
      what,
      `${models.defaultModel.id} does not answer: ${reasonOf(error)}. Check its key, address and name`,
    );
  } finally {
    await models.close();
  }
};

export const networkFindings = async (
  config: Config,
  now: () => number,
  offline: boolean,
): Promise<Finding[]> => {
  const findings = [await portFinding(config), tlsFinding(config, now())];
  findings.push(
    config.REDIS_URL === null
      ? ok('redis', 'none: limits and events are this process’s own')
      : await redisFinding(config.REDIS_URL),
  );
  if (!offline) {
    try {
      findings.push(await modelFinding(config, now));
    } catch (error) {
      findings.push(fail('model', reasonOf(error)));
    }
  }
  return findings;
};
