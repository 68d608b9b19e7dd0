/**
 * What the contract promises and the suites hold it to, by id. A test cites the ids it proves with `req`; the compiler
 * knows the ids, and `requirements.test.ts` fails for one that no test cites. An id stands here once its promise is
 * kept; further ones are added with the rooms that bring them.
 */
export const REQUIREMENTS = {
  // Section 1: surfaces and general rules
  'HTTP-01': 'every resource stands under /api/v1, /v2 and /api/v2 with the same answers',
  'HTTP-02': 'every response carries X-API-Version: 2.0.0',
  'HTTP-03': 'a well-formed X-Request-ID comes back in header and error body; any other is replaced',
  'HTTP-04': 'unknown request fields are 422 and named',
  'HTTP-05': 'unknown query parameters are 422',
  'HTTP-06': 'HEAD answers wherever GET does, without a body',
  'HTTP-07': 'a wrong method is 405 with Allow',
  'HTTP-08': 'a wrong content type is 415',
  'HTTP-09': 'a body over 1 MiB is 413',
  'HTTP-10': 'CORS allows the configured origins alone and exposes the rate and request headers',
  'HTTP-11': 'times are ISO 8601 UTC with milliseconds, ids are UUIDv7',
  'HTTP-12': 'a token in the address is refused with 401',
  'HTTP-13': 'what api/openapi.json says is what the server does, for every role',
  'HTTP-14': 'no page on the origin of the console may make a script from text',
  'HTTP-15':
    'generators make clients from api/openapi.json: everything in it has a name, a description and an example',
  'TEXT-01':
    'text that no store can hold (NUL, lone surrogates) is refused in what a caller sends, and replaced in what comes from others; nothing is lost over it',
  'LIST-01': 'a list answers items, page, limit, total, has_more, next_cursor, newest first',
  'LIST-02': 'page and limit outside their range, and bad cursors, are 422',
  'LIST-03': 'a cursor walks a changing list without skips or repeats',
  'IDEM-01': 'the same key and body get the stored first answer with Idempotent-Replayed',
  'IDEM-02': 'the same key with another body is 422',
  'IDEM-03': 'a key whose request still runs is 409',
  'IDEM-04': 'only 2xx answers are stored; keys belong to their caller',
  'IDEM-07': 'a replay is for the credential that asked, not for every one of its person',
  'IDEM-08': 'a secret that is shown once is kept for no replay, and the replay says so',
  'IDEM-09': 'what was deleted for good, or erased, is replayed to nobody: its key is free again',
  'IDEM-05': 'a stream under a key is replayed from the start',
  'IDEM-06': 'a key whose process died answers with the run of its first request, on every door of the chat',
  // Section 2: errors
  'ERR-01': 'every error has the body of its prefix’s shape with code, message, details and request_id',
  'ERR-02': 'validation errors name each field by a JSON pointer',
  'ERR-03': '401 carries its reason and WWW-Authenticate; in shape B the reason is the code',
  'ERR-04': 'errors of the HTTP layer itself have the contract’s body (400, 408, 414, 417, 431)',
  'ERR-05': '403 names the missing permission',
  // Section 4: limits
  'RATE-01': 'rate headers stand on all responses: 200, 401, 404, 429 and system endpoints',
  'RATE-02': 'each prefix compares with its own table; both share one count per caller',
  'RATE-03': 'the limits follow the tier, an override of the user wins',
  'RATE-04': 'a sliding minute and a sliding second count at once; 429 with Retry-After',
  'RATE-05': 'a refused request costs nothing',
  'RATE-06': 'system endpoints show the count and add nothing',
  'RATE-07': 'RATE_LIMITS=off refuses nothing and still sends the headers',
  // Section 5: chat and conversations
  'CHAT-01': 'POST chat answers with all fields of ChatResponse and stores question and answer',
  'CHAT-02': 'message is 1 to 262,144 code points and not blank; context at most 32 KiB',
  'CHAT-03': 'an unknown conversation is 404, an archived one 409, an unknown agent or model 422',
  'CHAT-04': 'provider errors are 502 and 504 with details.provider, and the run ends as failed',
  'CHAT-05': 'no room in a cost limit is 402 before any provider is called',
  'CHAT-06': 'context goes to the agent as data',
  'CHAT-07':
    'with response_schema an answer is JSON that fits it, asked for once more where it does not, or the run fails; citations stand beside',
  'STREAM-01': 'events come in order with ids <run_id>:<n>; message.completed is last and whole',
  'STREAM-02': 'a failure in mid-stream ends with an error event in the prefix’s shape',
  'STREAM-03': 'a refusal known before the first byte is a normal HTTP error',
  'STREAM-04': 'a client that goes away changes nothing: the run goes on and is stored',
  'STREAM-05': 'Last-Event-ID replays what was missed and follows on',
  'STREAM-06': 'cancel answers 202 within a second and keeps the partial answer; 409 when finished',
  'STREAM-07': 'a comment every 15 s keeps a silent stream awake',
  'QUEUE-01':
    'a message to a busy conversation is stored at once as a queued run: seen, listed, followed, in its place',
  'QUEUE-02': 'waiting messages have their turns in order; the history stays in pairs',
  'QUEUE-03':
    'a queued run can be cancelled within a second, also while its turn is far; the others keep their order',
  'QUEUE-04': 'kill -9 loses no waiting message: each is answered in order after the restart, once',
  'QUEUE-05':
    'a waiting message that is refused when its turn comes ends with the stored reason and has cost nothing',
  'PROV-01':
    'what goes to a model provider is valid for the strictest of them, whatever has become of earlier turns',
  'QUEUE-06':
    'a conversation is busy from its first message on, at every door; on nodes the store says so, whatever Redis forgets',
  'RUN-23':
    'a call that needs a decision waits, goes on and is withdrawn alike, whichever agent of a hand-off has asked for it',
  'RUN-03': 'a loop of tools ends with an answer made without tools, or with length and words that say so',
  'RUN-40':
    'a model is told of few tools and finds the others by what they do; what an agent may use is served whether it was told or not',
  'RUN-41': 'the beginning of a prompt is the same in each turn of a conversation, for caches of providers',
  'RUN-20': 'a run that nothing works on ends as failed within a minute, whatever has taken it from its work',
  'RUN-21':
    'the end of every run is counted by outcome, agent and model; each failure is one line of the log',
  'RUN-22':
    'answers that run while the store takes no writes wait for it: stored, charged and without reservation when it takes them again; new work is 503 meanwhile',
  'RUN-01': 'GET chat/runs/{id} gives the state of a run to its owner alone',
  'RUN-02':
    'a run whose server is killed goes on from its last finished step or ends as failed; no effect happens twice',
  'CONV-01': 'conversations are created (201 with Location), listed, read, renamed',
  'CONV-02':
    'DELETE archives, again 204; archived ones are listed only with status=archived and can be restored',
  'CONV-03': 'export as JSON and Markdown',
  'CONV-04': 'q searches titles and text',
  'CONV-05': 'messages page oldest first',
  'CONV-06': 'feedback on an answer',
  'CONV-10':
    'a conversation without a title has one as soon as its first message is accepted, whatever becomes of the run',
  'CONV-11':
    'DELETE with permanent=true, and conversations/delete for many, delete for good, archived or not; each is in the audit chain',
  'CONV-12': 'conversations are pinned and put into folders, and lists narrow to them',
  'CONV-13': 'a search gives of each conversation the message that was found and the words around it',
  'ATT-01': 'documents are attached to messages: stored, listed, exported, told of in events',
  'ATT-02': 'attached documents are looked at first in their conversation, by its branch',
  'ATT-03': 'a document that the caller cannot read is refused before any cost',
  'ATT-04': 'edits, second answers, forks and context.attached_documents keep the documents',
  'ATT-05': 'titles of attached documents are untrusted content',
  'PIC-01':
    'a picture sent with a message is shown to the model, stands on the message and is read by its id',
  'PIC-02': 'pictures are stored and sent without metadata; how they were held is kept',
  'PIC-03': 'a picture that no model can see is refused before any cost, with what to do',
  'PIC-04': 'pictures of earlier turns go along again, the newest first; others are told by name',
  'PIC-05': 'second answers, edits and forks keep pictures',
  'PIC-06': 'pictures have the rights of their conversation and are erased with it',
  'PIC-07': 'broken, twofold and huge pictures are refused by their header, with their place',
  'PIC-08': 'a temporary chat leaves no picture behind',
  'PIC-30': 'a document that is a picture is shown by the rights to it, and copied with the message',
  'PIC-31': 'a person’s export holds the bytes of their pictures',
  'PIC-09': 'the fingerprint of an idempotency key includes the picture',
  'PIC-10': 'a message that waits keeps its picture',
  'PIC-11':
    'images come in at /v1/chat/completions, /v1/responses and /v1/messages, and go along with later turns',
  'PIC-12': 'images that cannot be taken or seen are refused in the words of each protocol',
  'PIC-13': 'tokens of images are counted in reservations and answers about counts',
  'PIC-14': 'images are written in the words of each provider: OpenAI, Anthropic, Gemini',
  'PIC-15': 'a picture that a provider refuses does not stop its conversation',
  'PIC-16': 'words about a picture of before go to a model that can see, where nobody named another',
  'PIC-17': 'words about a picture of before are answered by a fallback that cannot see',
  'PIC-18': 'the console sends a chosen picture and shows it under its question, after a reload as well',
  'LONG-01': 'messages of up to 262,144 characters are taken by every door, less by MAX_MESSAGE_CHARS',
  'LONG-02':
    'what is longer than the model’s window is refused before any cost, with the counts and what to do',
  'TREE-01': 'messages form a tree: each names the one that it follows, and its place among its siblings',
  'TREE-02':
    'a request names the message that it follows, and an edited question stands beside the first; only the active branch goes to the model',
  'TREE-03':
    'an answer is given again beside the others, by a model or agent of choice; a try that fails changes nothing',
  'TREE-04': 'PATCH active_message_id picks a branch; lists, counts and search are of the active one',
  'TREE-05':
    'a fork is a conversation of its own up to a message, with the mark of untrusted content, without cost',
  'TREE-06':
    'versions keep to the busy rule, to idempotency and to who may see a conversation; what waits follows the leaf of its turn',
  'TREE-07': 'exports hold trees, and trees of ChatGPT, LibreChat, Open WebUI and Pentarch come in whole',
  'TREE-08':
    'conversations of before are chains after the migration, and what a node of the release before writes follows them',
  'CONV-07': 'a stranger’s record is 404 with the bytes of one that does not exist',
  'CONSOLE-01':
    'the console keeps what a person wrote until the server has taken it: over refusals, reloads and the end of the session',
  'CONSOLE-02': 'a console whose session has ended asks nothing of the server until somebody signs in again',
  'CONSOLE-03': 'the console shows of an answer that failed or was interrupted that it is not whole, and why',
  'CONSOLE-04':
    'a question that a proposal asks the person themselves is shown with its call, and answered, in the console',
  'CONSOLE-05':
    'in the console answers are given again and questions edited beside the first version, every version stays reachable, and a conversation is gone on with elsewhere',
  'CONSOLE-06':
    'conversations are pinned, put into folders, chosen together and deleted for good in the console',
  'CONSOLE-08':
    'the chat leaves the reader where they look, covers nothing with messages, and puts the focus where one goes on',
  'CONSOLE-09':
    'notifications lead to what they tell of, decisions that wait are counted, and both are over with the decision',
  'CONSOLE-10':
    'a temporary chat in the console is known to its page alone: nothing of it is kept by the browser or the server, and it is left only after a question',
  'CONSOLE-11':
    'the console shows code of an answer in the colours of its language and formulas as they are set, and neither loads, links or runs anything',
  'CONSOLE-12': 'one field, Ctrl K, finds and opens pages, agents, conversations, documents and actions',
  'CONSOLE-07': 'a hit of the console’s search shows its words and leads to its message',
  'CONV-14':
    'what a person has read of an answer is stored each second: it outlives kill -9, and its call is booked as an estimate',
  'CONV-09':
    'a message that failed or was interrupted says so with its error wherever messages are given out; stop is said of whole answers only',
  'CONV-20':
    'of a temporary chat (store: false) nothing is stored but its costs, by every door and whatever ends it; what would need more is refused before any cost',
  'CONV-21':
    'calls of /v1 are not listed among conversations unless they ask for it; they stay readable by id, exported and erased',
  'CONV-29':
    'a search in what a person has said finds by its index what reading everything finds, and nothing of what is deleted stays in the index',
  'SHARE-01':
    'a share shows a branch of a conversation as it stood, with names of agents and titles that its reader may know, and nothing else of it',
  'SHARE-02':
    'a share is made, listed and ended by the conversation’s own person, and read by its audience alone',
  'SHARE-03':
    'a share ends at once when it is revoked, and by itself when its time is over; who made, opened and ended it is in the audit',
  'SHARE-04':
    'a share goes with its conversation, with its person and their data, and comes along with no fork and no archive',
  'SHARE-05': 'a share that needs no sign-in is there only while the operator allows it',
  'CONV-08': 'a list shows every change at once',
  // Section 13 and issue 2: bad input, faults, lifecycle
  'BAD-01': 'any JSON text sent to chat and conversations is 2xx or a documented 4xx',
  'BAD-02': 'hostile requests get a documented answer, never a 5xx, never a hang',
  'BAD-03': 'text comes back byte for byte',
  'SYS-01': '/health, /ready and /metrics answer without a token, in their own forms',
  'SYS-02': 'SIGTERM: /ready 503, new work 503, running answers finish, exit 0',
  'SYS-07':
    'SIGTERM: for SHUTDOWN_LEAD_S requests are taken while /ready is 503, and connections are not kept',
  'SYS-10': 'a start is ready once the embedding model is loaded, and /ready names it until then',
  'SYS-11': 'a kill of npm start ends the server, also kill -9',
  'SYS-03': 'a second process on the same data folder is refused with a clear message',
  'SYS-04': 'after kill -9 what was acknowledged is there and no run stays running',
  'SYS-06':
    'a clock that is moved by an hour either way breaks nothing: order, schedules, deliveries, limits and the audit chain hold',
  'SYS-05': 'the data folder is readable by its owner alone',
  'ORDER-01': 'refusals come in the order 401, 404 of a path, 405, 429, 403, 413/415, 422, 404, 409, 402',
  // Sections 11 and 12: tasks, events
  'TASK-01':
    'a task runs at once, at its time, or by cron in a time zone; a past time is now; a bad cron is 422',
  'TASK-02': 'three attempts with back-off; retry, cancel and the history of runs',
  'TASK-03': 'one run for each due slot, whatever the number of nodes; a run never overlaps itself',
  'TASK-04': 'missed slots run once or not at all, by setting',
  'TASK-05': 'tasks survive restarts and deaths of processes',
  'TASK-06': 'a tenant’s runs are capped, so that it cannot starve others',
  'TASK-07': 'approvals inside a task hold it until they are decided',
  'TASK-08':
    'of a cancel or a deletion and a run that ends, begins or waits at the same moment, the cancel or deletion holds',
  'WS-01': 'the token comes by header, subprotocol or first message; else 401, 4401 or 4403',
  'WS-02': 'an event reaches those alone who may read its record; topics narrow',
  'WS-03': 'expiry and revocation close an open socket with 4401 within 5 s; a fresh token keeps it',
  'WS-04': 'too slow a reader is closed with 4408, a dead peer is cut',
  'WS-05': 'last_event_id replays what was missed without gap or repeat',
  'WS-06': 'chat.send is accepted first, then tells of its run',
  'WS-08':
    'sockets and event streams of one account and of one address are bounded, and refused before anything is begun',
  'WS-07': 'frames, closes and sizes of websocket-cases.json',
  'HOOK-01': 'subscriptions: the secret is shown once; rotation keeps two valid',
  'HOOK-02': 'deliveries are signed by the Standard Webhooks scheme',
  'HOOK-03':
    'retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h with one id; dead letter, log, redelivery, test',
  'HOOK-04': 'a 410 switches a webhook off',
  'HOOK-05': 'no address inside is ever called, at create, change, test or delivery',
  'HOOK-06': 'what a transaction recorded is delivered if and only if it committed, once',
  'HOOK-07': 'deliveries carry the X-Request-ID of the request that led to them',
  'HOOK-08':
    'a webhook whose key or account has ended is off at once, says why, tells its maker or those who manage webhooks, and goes on when somebody stands in',
  'CONTEXT-01':
    'history is fitted to the model’s window by tokens; the oldest turns are summarised, the summary is stored and reused',
  'IMPORT-01':
    'exports of ChatGPT (zip or JSON) and Open WebUI come in: the branch that was open, with its times',
  'IMPORT-02': 'each conversation comes in once for each person, also when two imports run at once',
  'IMPORT-03': 'imported conversations are read, searched, exported and gone on with',
  'IMPORT-04': 'what is no export is 422, what is too large 413',
  'OPENAI-01': 'GET /v1/models lists the network, the enabled agents and the embedding model',
  'OPENAI-02':
    'a chat completion is a run like any other; history comes with the request or by conversation id',
  'OPENAI-03': 'streams are chunks with [DONE] and usage on demand; hanging up changes nothing',
  'OPENAI-04': 'Idempotency-Key works on /v1 as elsewhere',
  'OPENAI-05': 'an answer that awaits approval says so in words and in native_finish_reason',
  'OPENAI-06': 'errors have the body of the OpenAI API; what is not supported is a 400 that names it',
  'OPENAI-08':
    'tools of the client: their calls end a completion with tool_calls, results go on with it, own tools work beside them',
  'OPENAI-09':
    '/v1 ignores unknown fields and names them in x-pentarch-ignored; stop, top_p, seed and reasoning_effort reach the provider',
  'OPENAI-10':
    'response_format json_object and json_schema at /v1: parse of the official client and the AI SDK get objects',
  'OPENAI-11': 'POST /v1/completions is a run like any other; what is not supported is a 400 that names it',
  'OPENAI-07': 'embeddings as float and base64, on the ledger',
  'RESPONSES-01':
    'POST /v1/responses is a run like any other: items, instructions, structured output, idempotency, waiting, cuts',
  'RESPONSES-02':
    'previous_response_id and conversation go on with a stored conversation of the caller, at its end',
  'RESPONSES-03': 'a streamed response has the events of the OpenAI API, numbered',
  'RESPONSES-04': 'functions of the client: a call is an item, its output goes on with the run',
  'RESPONSES-05': 'errors have the body of the OpenAI API; what is not supported is a 400 that names it',
  'RESPONSES-06':
    'a stored response is read, its input listed and it is deleted by its caller alone; else it is 404',
  'ANTHROPIC-01':
    'POST /v1/messages is a run like any other, with x-api-key or a bearer token; history, schemas, idempotency, waiting, counting',
  'ANTHROPIC-02': 'a streamed message has the events of the Anthropic API',
  'ANTHROPIC-03': 'tools of the client: a call ends a message with tool_use, its result goes on with the run',
  'ANTHROPIC-04': 'errors have the body of the Anthropic API; what is not supported is a 400 that names it',
  'A2A-01': 'agent cards of the network and of each agent are public, in the versions 1.0 and 0.3',
  'A2A-02': 'a message is a run like any other: its task is the run, its context the conversation',
  'A2A-03': 'a streamed message sends the task, its text and its end',
  'A2A-04': 'tasks are read, listed, followed and cancelled',
  'A2A-05': 'tasks of others are not found; refusals keep their status in a JSON-RPC body',
  'A2A-07': 'what the compatibility kit calls mandatory for JSON-RPC holds',
  'A2A-08':
    'clients are told how their tasks go on, as they asked, and of no task that they may not read; what is not taken is tried again',
  'A2A-06': 'a task that needs a decision says so and goes on after it',
  'AUDIT-01':
    'every sign-in, refusal, change of rights, proposal, vote, tool call, deletion and export is a row of the chain',
  'CRED-01':
    'nobody grants, or gets hold of an account with, permissions that the credential lacks, on whichever way',
  'CRED-02': 'the powers of platform administrators are for whole credentials alone',
  'CRED-03':
    'what goes on after its request may do what the credential could that began it, over restarts and approvals, and nothing once that was deleted',
  'CRED-04':
    'a webhook is told of what the credentials that made and changed it may read, and of nothing else',
  'CRED-05':
    'a stored delivery shows what was said to those alone who may read its record, and goes to nobody else, whatever address it has now',
  'CRED-06':
    'a link to an account, and a password that another credential may know, end when the account can more than it could at the making or than the maker could',
  'AUTH-01': 'a token is good for what it is, for its own client and within its rights, and for nothing else',
  'AUTH-02': 'every authorization needs PKCE S256, and its code the verifier and address of its own request',
  'AUTH-03':
    'nobody is sent to an address that is not the client’s; other flows and fetched requests are refused',
  'AUTH-04':
    'the sign-in page is bound to its browser and cannot be ridden, fixed or signed out from elsewhere',
  'AUTH-05': 'addresses that are handed out follow no Host header',
  'AUTH-06':
    'what ends a sign-in ends its browser too; what ended stays so, and what lives goes on, over a restart',
  'AUTH-07': 'links set a password once, tell nobody of accounts, and are shut in a suspended tenant',
  'AUTH-08':
    'a change of roles, a deactivation, a sign-out and a suspension end open streams and sockets within 5 s',
  'DATA-01':
    'the export holds all that is kept of a person, the erasure takes it, what others were sent included',
  'AUDIT-03': 'a row of a change is written with it: where one cannot be, the other is not',
  'AUDIT-02': 'the API cannot change the chain, and the chain proves itself',
  'AGENT-01': 'agent.state_changed is told when the state of an agent changes',
  'AGENT-02':
    'figures of agents are exactly those of their runs, whether read from sums of past hours and days or from rows',
  'NOTE-02': 'who may decide, holds a seat or keeps the limits is told, by their own preferences',
  'LOG-01': 'no password, token, key or secret is ever in a line of the log',
  'LOG-02':
    'a line names its request, run, conversation, tenant, user and client; probes are debug; no generated password outside of a terminal',
  'OBS-01':
    'traces by OTLP: request, run, step, model call, tool call, vote, search and job, within the caller’s trace, with links from tasks to who asked',
  'OBS-02':
    'traces are off and free without an address, sampled as set, and hold contents only where that is set, masked',
  'OPS-01':
    'backup of a live server: what was acknowledged before its start is in it, and all of it fits together',
  'OPS-02': 'restore proves the archive before it touches anything, and refuses a place that is not empty',
  'OPS-03': 'a backup that is killed, or whose disk is full, leaves no file under its name',
  'KNOW-01': 'a document whose content is replaced is found in exactly one version at each instant',
  'KNOW-02': 'a document shared with roles is seen by its owner and those of the roles, in no way by others',
  'KNOW-03':
    'after a change of the embedding model every search finds by meaning while documents are indexed anew',
  'OPS-04': 'a restored server starts: the old password signs in, search finds, the audit chain fits',
  'OPS-05': 'SQLite and PostgreSQL restore each other’s backups, with equal counts and hashes',
  'OPS-06': 'a tenant moves to another platform with nothing lost; its secrets work there',
  'OPS-13':
    'texts of an archive that no store can hold come in replaced and counted, and the audit chain still proves itself',
  'OPS-14':
    'a row of an unfinished run that cannot be read ends as failed, and keeps neither the others nor the start',
  'OPS-11':
    'a tenant’s archive reaches nothing outside of its tenant: no account, key, file or table of the platform or of others',
  'OPS-12':
    'an archive of another platform is taken only when that is said, and gives itself neither tier nor guard nor tie',
  'KEYS-01':
    'lost keys do not lock the store: keys recover makes new ones, sign-ins and sealed secrets are void, records stay',
  'KEYS-02': 'a start whose keys do not fit writes none, and a backup of such a store says so',
  'AUDIT-04':
    'who writes to the store cannot rewrite the audit chain unseen: rows and head are signed with a key outside of it',
  'AUDIT-05': 'a head that was noted elsewhere proves that nothing before it was rewritten or taken away',
  'KEYS-03': 'PLATFORM_KEY is replaced with old and new side by side; keys rotate seals everything anew',
  'KEYS-04': 'a sealed value opens in the record that it was sealed for, and in no other',
  'OPS-07': 'archives can be encrypted; a wrong passphrase or a changed byte gives nothing',
  'OPS-08': 'commands: --help lists them, an unknown one is exit 2; doctor says what is wrong and what to do',
  'OPS-09': 'records go when the settings say, once a day on one node, and never before',
  'OPS-10': 'every metric of the dashboard and the alert rules is one that a running server gives',
  'OPS-19':
    '/metrics is clean Prometheus text under standard names; it tells model calls, store, queue, votes, reservations and nodes',
  'OPS-20':
    '/ready says by name what is down, and no when chats would hang: a store that is full or only reads; the log names it once',
  'OPS-21':
    'what keeps a server from starting is a sentence that says what to do; secrets of examples are refused; a clock that is off is told',
  'OPS-22': 'the Helm chart renders resources that Kubernetes takes, and refuses values that cannot be right',
  'OPS-23':
    'stores that earlier releases have left are opened by this one, and their server works beside it during a roll',
  'OPS-24': 'the runbooks of the alerts name figures, paths, settings, lines and commands that are there',
  'OPS-18':
    'what deploy/ gives the server (network, role of the database, trusted proxies) is what it needs and no more',
  'NOTE-01': 'an inbox for each person, read state, preferences by channel, mail',
  // Section 3: identity
  'AUTH-09':
    'the embedded provider serves discovery, code with PKCE, refresh, userinfo, introspection and revocation to any standard client',
  'AUTH-10':
    'of any number of parallel uses of a code or a refresh token one wins, and a second use ends the family',
  'AUTH-11': 'a service account signs assertions with its machine key; each jti counts once',
  'AUTH-12': 'introspection tells a confidential client alone, and honours revocation',
  'AUTH-13':
    'an external provider signs people in: claims of Zitadel and Keycloak, keys read again, opaque tokens asked about',
  'AUTH-14':
    'API keys and personal tokens: shown once, kept as a hash, narrowed, ended on time, rotated with an overlap; a typo needs no look-up',
  'AUTH-15':
    'a role of an external provider counts for the organisation that it is given for, and none of the five makes a platform administrator',
  'AUTH-16':
    'a token without an organisation never shuts out the right one; a person moves to another tenant without their records',
  'AUTH-17':
    'a code goes to a program of the person’s machine only after they have allowed it, and to the console’s own page',
  'AUTH-18': 'both sign-in doors share one limit by account and by address, and a made-up link costs no hash',
  'AUTH-19': 'a program without a browser signs its person in by a code that they allow on a page (RFC 8628)',
  'AUTH-20': 'after a sign-out people are sent where the client has registered it, and nowhere else',
  'AUTH-21':
    'an opaque token of an external provider is taken where the provider says that it is an access token, and for this service',
  'AUTH-30':
    'a program whose client id is the address of a document about it signs people in after their consent; the document is read by a guarded client and counts as it stands',
  'AUTH-31': 'an authorization request may be sent first and named by its request_uri, once (RFC 9126)',
  'AUTH-33':
    'an address brings so many new client metadata documents a minute, then gets 429 with Retry-After; a known client is never stopped by it',
  'USER-01':
    'accounts are made, invited, changed and deactivated; a change of rights counts at once for every kind of credential',
  'USER-02': 'a person’s data is handed out and erased on demand, by themselves or an admin alone',
  'TENANT-01': 'tenants are made by platform administrators; a suspended one is shut everywhere at once',
  // Sections 6 and 14: costs
  'COST-01':
    'every model call, embedding and priced tool is one row of the ledger, and the parts of a report add up exactly',
  'COST-02':
    'used and reserved never pass a limit, however many requests run at once, but for what a provider bills beyond a reservation, which is bounded',
  'COST-03': 'no room is 402 before any provider is called, and a refused message has cost nothing',
  'COST-04': 'an output cap is lowered to what is left where an answer is still useful',
  'COST-05': 'no room in mid-run ends the run with cost_exceeded and keeps what there is',
  'COST-06':
    'limits are read and set by scope and period, with faults named; reading and replaying cost nothing',
  'COST-11':
    'the ledger tells the bill: what a provider bills beyond the reservation is booked and marked, and counts that are no counts are estimated',
  'COST-27': 'a tenant’s costs are read from sums that are exactly those of the rows, its users in pages',
  'COST-28':
    'the sums are made from an older ledger beside those who write, compared with its rows by a command, and made anew by another',
  'COST-12': 'embeddings that are of no use are booked, and are not asked for again and again',
  'COST-07': 'a provider’s own figure is kept beside what is charged, and never charged',
  // Sections 7 and 14: governance
  'GOV-01': 'cost, risk and flags decide whether a call runs, is voted on, or waits for a person',
  'GOV-02':
    'three approvals approve, three rejections reject, a named reason of aegis vetoes; without a majority a person decides',
  'GOV-03': 'a voter that fails or is late abstains and never approves',
  'GOV-04': 'people vote once, for one seat, never on what they asked for; what is closed is 409',
  'GOV-05':
    'an approved call runs exactly once with the stored arguments, also after a restart, or ends as unknown',
  'GOV-06':
    'every way to a tool passes the same gate; changed arguments need a new proposal, a rejected call stays denied in its run',
  'GOV-07': '300 s without a majority lead to a person, 24 h more to expiry',
  'GOV-08': 'text inside a proposal never makes a decision milder',
  'GOV-14': 'the written rules of a seat are a floor where its model votes: stricter, never laxer',
  'GOV-15': 'seats at one local model vote one after the other in the time that is left, or by rule',
  'GOV-16': 'who votes on a call sees what the person asked and what in the run may have led to it, as data',
  'GOV-09': 'the audit chain holds creation, votes with their inputs, decision and execution',
  // Section 8: knowledge
  'KNOW-04':
    'a document is 201 once it can be found; its type comes from the bytes; what cannot be read is 422 and leaves nothing',
  'KNOW-05': 'the same bytes of the same owner are one document, also when they race',
  'KNOW-06':
    'search gives the contract’s form, scores between 0 and 1, full pages under filters, and words of every script',
  'KNOW-20': 'a document names its pages that show something and have no text, and its text says so',
  'KNOW-21': 'files of OpenDocument, RTF and Outlook are read, and found by their type',
  'KNOW-22':
    'doc, xls and ppt are read by way of LibreOffice where SOFFICE_PATH is set, and refused with what helps elsewhere',
  'KNOW-23': 'a document says what of it was left out on purpose, and how often',
  'KNOW-24': 'each passage of a table begins with the head of its table, and a row is cited by itself',
  'KNOW-25': 'pages of a PDF that are pictures are recognised, found and answered from',
  'KNOW-26':
    'files of named types are read by the parser of PARSER_URL, and here where it does not read them',
  'KNOW-27':
    'an upload that takes longer than it is waited for is 202 with a document in processing, which is found once it is indexed',
  'KNOW-28': 'an upload goes on after a restart from where it was, and nothing is embedded twice',
  'KNOW-29': 'what fails in the background stays with its error, and can be begun again',
  'KNOW-30': 'DELETE takes back an upload that is being read; nothing of it is left',
  'KNOW-31':
    'the present version is found until the one that replaces it is whole; the newest of a name is the last',
  'KNOW-32': 'tenants take turns: a hundred files of one do not hold up a single one of another',
  'KNOW-33': 'what was answered 202 outlives a kill -9, and is searched once',
  'KNOW-34': 'a Word file of 872 pages is read within the memory that a reader has',
  'KNOW-35': 'under one name the upload that came last is the content, also when its bytes were sent before',
  'KNOW-36': 'parallel uploads of a new name are answered with the one id that stays',
  'KNOW-37': 'a PATCH does not wait for the version that is being read, and holds for it',
  'KNOW-38': 'the text of a picture is read where text recognition is on',
  'KNOW-47': 'what authors wrote of a picture for those who do not see it is read',
  'KNOW-46': 'a PATCH of a file whose first version is being read holds at once and afterwards',
  'KNOW-07': 'only what the caller may read is shown or found; what is deleted is gone at once',
  // Section 9: MCP
  'MCP-01':
    'servers are registered by file and API, listed with their state, and their secrets never come back',
  'MCP-02': 'a command that is not allowed never runs, by whatever way in',
  'MCP-03':
    'a call answers with typed content; broken arguments are 422 before it, unknown tools 404, a late one 504, a broken one 502',
  'MCP-04': 'a server that fails holds up nothing, answers in time, comes back, and leaves no process',
  'MCP-05': 'a tool that changed is held back until it is accepted',
  'MCP-12':
    'a sign-in at an MCP server is finished by the browser or the person that began it, and by nobody else',
  'MCP-06': 'policies price, flag and gate tools; a denial wins over an allowance',
  'MCP-07':
    'a program is started for the tenant that an entry names, and is given no way into the data folder',
  'MCP-08': 'tools of a server that tells of no change are listed anew on demand',
  'MCP-13':
    'clients of /mcp read documents and conversations by the rights of their routes, in bounded parts',
  'MCP-14': 'the agents that are switched on are prompts of /mcp, and their arguments are completed',
  'MCP-15':
    'a client that can ask its person asks for the approval that is theirs to give, and never for that of others',
  'MCP-16': 'the official conformance suite runs as server and as client, with a list of what is left',
  // Section 10: memory
  'MEM-01': 'names are unique by type within their owner, folded, also under parallel writes',
  'MEM-02': 'a contradiction keeps both, the newer holding; nobody ends what somebody else has said',
  'MEM-03': 'the graph is walked in one to three steps, and says when it is cut',
  'MEM-04': 'the public MCP memory server’s file comes in and goes out again',
  'MEM-05':
    'what was told in one conversation is used in a later one; corrections hold, others see nothing of it',
  'MEM-06':
    'a stranger is answered as if nothing were there; erasing a person takes what is remembered of them',
  'MEM-07':
    'a message costs time in the order of its length; one that costs more teaches nothing and holds nobody up',
  'MEM-11':
    'a correction ends the old value whatever its wording; it stays as history and is never told as current',
  'MEM-12':
    'what a person wants forgotten is gone in every wording, does not come back from its source, and is named; unsure, it asks',
  'MEM-13': 'with a model set, correcting and forgetting go through the one call that reads the message',
  // Several nodes
  'CLU-01': 'nodes that start at once make one platform',
  'CLU-02': 'a run is followed, resumed and stopped at any node',
  'CLU-03': 'a conversation has one run at a time over all nodes',
  'CLU-04': 'events reach the connections of every node',
  'CLU-05': 'sign-out, roles and suspension count at every node with the next request',
  'CLU-06': 'failed sign-ins are counted over all nodes',
  'CLU-07': 'an idempotency key is in use at all nodes at once',
  'CLU-08': 'documents are the same at every node',
  'CLU-09': 'runs and keys of a dead node are taken over within a minute, those of live nodes by nobody',
  'CLU-10': 'rate limits are exact over all nodes',
  'CLU-11': 'a decision reaches the node whose run waits for it',
  'CLU-12': 'MCP sessions are served by every node',
  'CLU-13': 'a node that does not fit the others is refused at its start, with words for its operator',
  'CLU-14':
    'store or Redis away: 503, not ready, no acknowledgement lost, back within 10 s without a restart',
  'CLU-15':
    'migrations: one node runs them, a killed one is resumed, an older release refuses a newer schema',
  'CLU-16': 'a full disk: writes are 503, reads go on, and it mends by itself',
  'CLU-17': 'on PostgreSQL the rows of other tenants do not exist for a statement that has lost its filter',
  'CLU-18':
    'a node killed at the worst moment: schedules, deliveries, reservations, idempotency keys, throttles and key rotation end well',
  'CLU-19':
    'two releases side by side: schema, queue payloads and messages of the newer one are no harm to nodes of the older',
  'CLU-20':
    'a node that stops is left alone by the others until its last run has ended, however long that takes within the grace',
  'CLU-21': 'a roll behind a balancer that looks at /ready loses no request',
  // All sections: models that obey what they read, and what is another's
  'LLM-01':
    'whatever a model is told to do, nothing ungated is called, nothing of another is in a prompt, and nothing is fetched',
  'TAINT-01':
    'the mark of untrusted content stays with its conversation and goes along with what comes of it; acts that reach out or change own things ask the person, whatever the source',
  'TAINT-02':
    'a task that tasks make ends at depth two, agents make no more than a set number an hour, and the model is told why',
  'TAINT-04':
    'the mark of what a run of a task has read stands on the task, and comes with every tool that tells of it',
  'TAINT-03':
    'only an administrator says that a document is trusted; what is read of it leaves no mark until its content or title is another',
  'SEC-30':
    'what was deleted or erased is gone from the bytes of the SQLite files, which are for their owner alone',
  // Section 3: people from a company's directory
  'SCIM-01': 'a directory creates, finds, changes and removes people by SCIM 2.0',
  'SCIM-02': 'changes are taken in the dialects of Entra ID and Okta',
  'SCIM-03': 'whom the directory switches off loses sessions, tokens and keys at once',
  'SCIM-04': 'people of the directory are not changed elsewhere in contradiction to it without being told',
  'SCIM-05': 'groups of the directory give the roles that an administrator has put on them, and no others',
  'SCIM-06': 'a directory sees and changes the people and groups of its own tenant alone',
  'SCIM-07': 'the directory’s key can do nothing else, and what it does is in the audit chain',
  'SCIM-08':
    'who signs in at the identity provider is joined with the person of the directory by its id or a proved address, in their own tenant alone; nobody else gets an account by it',
  'SCIM-09':
    'no directory’s key adopts, readdresses, renames or revives an account that may do more than a user, the person’s groups and the key itself',
  'ISO-01':
    'every operation of the OpenAPI document answers ids of another person or tenant as ids of nothing, and changes nothing of theirs',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** A test's title with the requirements it proves: `it(req('HTTP-01', 'serves …'), …)`. */
export const req = (ids: RequirementId | readonly RequirementId[], title: string): string =>
  `${title} [${[ids].flat().join(', ')}]`;
