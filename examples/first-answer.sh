#!/usr/bin/env bash
# From nothing to a first answer: starts a fresh server, signs in, uploads a PDF and a Markdown file, and asks what only
# they answer, once as JSON and once as a stream. Needs curl and Node.js; "npm ci" must have been run.
#
#   examples/first-answer.sh                 with the built-in model, no key
#   MODEL=openai/gpt-5-mini OPENAI_API_KEY=… examples/first-answer.sh
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"

folder=$(mktemp -d)
server=''
finish() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap finish EXIT

# Reads one value of the JSON on standard input: field data.items.0.id
field() {
  node -e '
    const value = process.argv[1].split(".").reduce((at, key) => at?.[key], JSON.parse(require("node:fs").readFileSync(0, "utf8")));
    if (value === undefined) process.exit(1);
    console.log(typeof value === "string" ? value : JSON.stringify(value));
  ' "$1"
}

echo '1. Start the server (the same as "npm start")'
password=$(node -p 'require("node:crypto").randomBytes(18).toString("base64url")')
PORT=0 DATA_DIR="$folder/data" ADMIN_PASSWORD="$password" MODEL="${MODEL:-builtin}" \
  node server/src/main.ts >"$folder/log" 2>"$folder/banner" &
server=$!
url=''
for _ in $(seq 1 600); do
  if ! kill -0 "$server" 2>/dev/null; then
    cat "$folder/banner"
    exit 1
  fi
  url=$({ grep -m 1 '"msg":"listening"' "$folder/log" || true; } | { field url 2>/dev/null || true; })
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { echo 'the server did not start'; cat "$folder/banner"; exit 1; }
echo "   $url"

echo '2. Sign in'
token=$(curl -sS --fail-with-body "$url/v2/auth/login" -H 'Content-Type: application/json' \
  -d "{\"email\":\"admin@localhost\",\"password\":\"$password\"}" | field access_token)
api() { curl -sS --fail-with-body -H "Authorization: Bearer $token" "$@"; }

echo '3. Upload a PDF and a Markdown file'
cat >"$folder/ferry.md" <<'MARKDOWN'
# Ferry to Skellvik

## Timetable

The ferry Albatros leaves Harbour Gate 4 at 07:40 on weekdays and at 09:15 on Sundays.

## Tickets

A return ticket costs 18 crowns; children under six travel free.
MARKDOWN
pdf=$(api "$url/api/v1/knowledge/documents" -F 'file=@server/test/fixtures/keepers-handbook.pdf')
markdown=$(api "$url/api/v1/knowledge/documents" -F "file=@$folder/ferry.md")
for document in "$pdf" "$markdown"; do
  echo "   $(field title <<<"$document"): $(field chunk_count <<<"$document") chunks, id $(field id <<<"$document")"
done

# ask <question> <text that the answer must hold> <id of the document it must cite>
ask() {
  local answer
  echo
  echo "   Q: $1"
  answer=$(api "$url/api/v1/chat" -H 'Content-Type: application/json' -d "{\"message\":\"$1\"}")
  show "$answer" "$2" "$3"
}

# Prints an answer with its citations, and fails where it lacks the fact or the source.
show() {
  node -e '
    const [answer, fact, document] = [JSON.parse(process.argv[1]), process.argv[2], process.argv[3]];
    console.log(`   A (${answer.agent_id}, ${answer.cost_usd} USD): ${answer.content.replaceAll("\n", "\n      ")}`);
    for (const c of answer.citations) {
      console.log(`      — ${c.title}${c.page === null ? "" : `, page ${c.page}`}: “${c.quote.replaceAll(/\s+/g, " ")}”`);
    }
    if (!answer.content.includes(fact)) {
      console.error(`the answer does not say "${fact}"`);
      process.exit(1);
    }
    if (!answer.citations.some((c) => c.document_id === document)) {
      console.error("the answer does not cite the document that has it");
      process.exit(1);
    }
  ' "$1" "$2" "$3"
}

echo '4. Ask (POST /api/v1/chat)'
ask 'What does the keeper do if the compressor of the fog signal fails?' 'bronze bell' "$(field id <<<"$pdf")"
ask 'When does the ferry leave on Sundays?' '09:15' "$(field id <<<"$markdown")"

echo
echo '5. Ask again, as a stream (POST /api/v1/chat/stream)'
question='How much is a return ticket for the ferry?'
echo "   Q: $question"
api -N "$url/api/v1/chat/stream" -H 'Content-Type: application/json' -d "{\"message\":\"$question\"}" >"$folder/stream"
grep '^event:' "$folder/stream" | uniq -c | sed 's/^ */   /'
show "$(sed -n '/^event: message.completed/,/^$/s/^data: //p' "$folder/stream")" '18 crowns' "$(field id <<<"$markdown")"
