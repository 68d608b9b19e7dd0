//go:build acceptance

package pentarch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client against a really started server, whose address and keys come from the environment (sdk/acceptance.ts).

func env(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv("PENTARCH_" + name)
	if value == "" {
		t.Fatalf("PENTARCH_%s is not set", name)
	}
	return value
}

func need[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func byKey(t *testing.T, options ...Option) *Client {
	t.Helper()
	return need(New(env(t, "URL"), append(options, WithToken(env(t, "API_KEY")))...))(t)
}

func TestSignIn(t *testing.T) {
	ctx := context.Background()
	var mutex sync.Mutex
	var logged []LogEntry
	client := need(New(env(t, "URL"), WithAuth(PasswordLogin(env(t, "EMAIL"), env(t, "PASSWORD"))), WithLog(
		func(entry LogEntry) {
			mutex.Lock()
			defer mutex.Unlock()
			logged = append(logged, entry)
		})))(t)
	var group sync.WaitGroup
	for range 10 {
		group.Add(1)
		go func() {
			defer group.Done()
			me, err := client.Users.GetMe(ctx)
			if err != nil || me.Email != os.Getenv("PENTARCH_EMAIL") {
				t.Errorf("got %v, %v", me, err)
			}
		}()
	}
	group.Wait()
	if len(logged) != 10 || regexp.MustCompile("Bearer|eyJ").MatchString(fmt.Sprintf("%+v", logged)) {
		t.Errorf("logged: %+v", logged)
	}
	equal(t, "by key", need(byKey(t).Users.GetMe(ctx))(t).Email, env(t, "EMAIL"))
}

func TestMachineKey(t *testing.T) {
	source := need(ServiceAccount([]byte(env(t, "MACHINE_KEY")), ServiceAccountOptions{}))(t)
	robot := need(New(env(t, "URL"), WithAuth(source)))(t)
	equal(t, "id", need(robot.Users.GetMe(context.Background()))(t).ID, env(t, "SERVICE_USER"))
	if _, err := robot.Tenants.List(context.Background(), nil); !errors.Is(err, ErrForbidden) {
		t.Errorf("got %v", err)
	}
}

func TestAuthorizationCode(t *testing.T) {
	ctx := context.Background()
	tokens := need(ExchangeCode(ctx, Exchange{
		AuthURL:     env(t, "URL"),
		ClientID:    env(t, "CLIENT_ID"),
		RedirectURI: env(t, "REDIRECT_URI"),
		Code:        env(t, "CODE"),
		Verifier:    env(t, "VERIFIER"),
	}))(t)
	var kept []Tokens
	source := Refreshing(tokens.RefreshToken, RefreshOptions{
		ClientID: env(t, "CLIENT_ID"),
		OnTokens: func(next Tokens) { kept = append(kept, next) },
	})
	person := need(New(env(t, "URL"), WithAuth(source)))(t)
	equal(t, "email", need(person.Users.GetMe(ctx))(t).Email, env(t, "EMAIL"))
	if len(kept) != 1 || kept[0].RefreshToken == tokens.RefreshToken {
		t.Errorf("kept %d", len(kept))
	}
	if shown := fmt.Sprintf("%v %+v %#v", *tokens, kept, person); strings.Contains(shown, tokens.AccessToken) {
		t.Error("a token shows")
	}
}

func TestWrongToken(t *testing.T) {
	token := "not-a-token-0123456789"
	refused := need(New(env(t, "URL"), WithToken(token)))(t)
	_, err := refused.Agents.List(context.Background(), nil)
	var api *APIError
	if !errors.As(err, &api) || !errors.Is(err, ErrUnauthorized) || api.Reason != "TOKEN_INVALID" {
		t.Errorf("got %v", err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, refused), token) {
		t.Error("the token shows")
	}
}

func TestCalls(t *testing.T) {
	ctx := context.Background()
	client, v2 := byKey(t), byKey(t, WithV2())
	agents := need(client.Agents.List(ctx, nil))(t)
	equal(t, "agents", len(agents), 11)
	if _, err := v2.Agents.Get(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	key := IdempotencyKey(newKey())
	body := CreateConversationRequest{Title: Some("Once")}
	first := need(client.Conversations.Create(ctx, body, key))(t)
	equal(t, "id", need(client.Conversations.Create(ctx, body, key))(t).ID, first.ID)
	if err := client.Conversations.Archive(ctx, first.ID, nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "status", need(client.Conversations.Get(ctx, first.ID))(t).Status, "archived")
	if _, err := client.Chat.Send(ctx, ChatRequest{Message: "Hi", ConversationID: &first.ID}); !errors.Is(err, ErrConflict) {
		t.Errorf("got %v", err)
	}
	_, err := client.Chat.Send(ctx, ChatRequest{}, RequestID("acceptance-1"))
	var api *APIError
	if !errors.As(err, &api) || api.RequestID != "acceptance-1" || len(api.Fields()) == 0 || api.Fields()[0].Field != "/message" {
		t.Errorf("got %v", err)
	}
}

func TestLists(t *testing.T) {
	ctx := context.Background()
	client := byKey(t)
	for n := range 5 {
		title := fmt.Sprintf("List %d", n)
		need(client.Conversations.Create(ctx, CreateConversationRequest{Title: Some(title)}))(t)
	}
	seen := map[string]int{}
	for one, err := range client.Conversations.ListAll(ctx, &ListConversationsQuery{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		seen[one.ID]++
	}
	page := need(client.Conversations.List(ctx, &ListConversationsQuery{Limit: 1}))(t)
	equal(t, "conversations", int64(len(seen)), page.Total)
	for n := range 3 {
		action := fmt.Sprintf("P %d", n)
		seen[need(client.Governance.CreateProposal(ctx, CreateProposalRequest{Action: action, EstimatedCost: 1}))(t).ID] = 0
	}
	for one, err := range client.Governance.ListProposalsAll(ctx, &ListProposalsQuery{Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		seen[one.ID]++
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s: %d times", id, times)
		}
	}
}

func TestCancellation(t *testing.T) {
	client := byKey(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := client.Agents.List(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_, err := client.Chat.Send(context.Background(), ChatRequest{Message: "Hi"}, CallTimeout(time.Nanosecond), CallRetries(0))
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestChat(t *testing.T) {
	ctx := context.Background()
	client := byKey(t)
	answer := need(client.Chat.Send(ctx, ChatRequest{Message: "What can you do?"}))(t)
	equal(t, "run", need(client.Chat.GetRun(ctx, answer.RunID))(t).Status, "completed")
	broken := need(New(env(t, "BREAKING_URL"), WithToken(env(t, "API_KEY"))))(t)
	for _, one := range []*Client{client, broken} {
		n, text := 0, ""
		var final *ChatResponse
		for event, err := range one.Chat.Stream(ctx, ChatRequest{Message: "Who are you?"}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			text += event.Text
			final = event.Answer
			if !strings.HasSuffix(event.ID, fmt.Sprintf(":%d", n)) {
				t.Errorf("event %s is not number %d", event.ID, n)
			}
		}
		if final == nil || final.Content != text {
			t.Errorf("the answer is not what was streamed: %q", text)
		}
	}
	need(Final(client.Chat.Stream(ctx, ChatRequest{Message: "Hi"})))(t)
}

func TestDocuments(t *testing.T) {
	ctx := context.Background()
	client := byKey(t)
	text := "The lighthouse of Skerryvore is the tallest of Scotland.\n\n" + strings.Repeat("Wind and rain. ", 10_000)
	var sent, total int64
	document := need(client.Knowledge.UploadDocument(ctx, Upload{
		File:       strings.NewReader(text),
		Filename:   `skerry "vore".txt`,
		Title:      "Skerryvore",
		Metadata:   map[string]any{"tags": []string{"sea"}},
		OnProgress: func(s, all int64) { sent, total = s, all },
	}))(t)
	equal(t, "title", document.Title, "Skerryvore")
	if sent == 0 || sent != total {
		t.Errorf("sent %d of %d", sent, total)
	}
	found := need(client.Knowledge.Search(ctx, SearchRequest{Query: "Skerryvore lighthouse"}))(t)
	if len(found.Results) == 0 || found.Results[0].Title == "" {
		t.Errorf("found %+v", found)
	}
	equal(t, "content", string(need(client.Knowledge.GetDocumentContent(ctx, document.ID, nil))(t)), text)
	if err := client.Knowledge.DeleteDocument(ctx, document.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Knowledge.GetDocument(ctx, document.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	line := `{"type":"entity","name":"Alan Stevenson","entityType":"person","observations":["engineer"]}`
	need(client.Memory.Import(ctx, line, nil))(t)
	if lines := need(client.Memory.Export(ctx))(t); !strings.Contains(lines, "Alan Stevenson") {
		t.Errorf("got %s", lines)
	}
}

func TestEvents(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := byKey(t)
	var types []string
	for event, err := range client.Events(ctx, "conversations") {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, event.Type)
		if event.Type == "ready" {
			need(client.Chat.Send(ctx, ChatRequest{Message: "Hello there"}))(t)
		}
		if event.Type == "message.created" {
			break
		}
	}
	equal(t, "types", types, []string{"ready", "message.created"})
}

func TestEventsAreRefusedAndCancelled(t *testing.T) {
	refused := need(New(env(t, "URL"), WithToken("not-a-token-0123456789")))(t)
	for _, err := range refused.Events(context.Background()) {
		if !errors.Is(err, ErrUnauthorized) || strings.Contains(err.Error(), "not-a-token") {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for event, err := range byKey(t).Events(ctx) {
		if event.Type == "ready" {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}

// The way in breaks its first socket after the first event; what happened in between comes all the same.
func TestEventsOverBrokenConnections(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := byKey(t)
	broken := need(New(env(t, "BREAKING_URL"), WithToken(env(t, "API_KEY"))))(t)
	ready := 0
	var said []string
	for event, err := range broken.Events(ctx, "conversations") {
		if err != nil {
			t.Fatal(err)
		}
		if event.Type == "ready" {
			if ready++; ready == 1 {
				need(client.Chat.Send(ctx, ChatRequest{Message: "first"}))(t)
			}
		}
		var message struct{ Role, Content string }
		_ = json.Unmarshal(event.Payload, &message)
		if event.Type != "message.created" || message.Role != "user" {
			continue
		}
		said = append(said, message.Content)
		if message.Content == "second" {
			break
		}
		need(client.Chat.Send(ctx, ChatRequest{Message: "second"}))(t)
	}
	equal(t, "said", said, []string{"first", "second"})
	if ready < 2 {
		t.Errorf("ready %d times", ready)
	}
}
