package pentarch

import (
	"bytes"
	"strings"
)

// SSEEvent is one server-sent event.
type SSEEvent struct {
	ID    string
	Event string
	Data  string
}

// SSEParser makes events out of bytes (WHATWG HTML, section 9.2.6), however the bytes are cut. The zero value is ready.
type SSEParser struct {
	rest    []byte
	started bool
	afterCR bool
	id      string
	event   string
	data    []string
}

var byteOrderMark = []byte("\ufeff")

// Push gives the events that are complete with these bytes; one without its blank line is never given out.
func (p *SSEParser) Push(chunk []byte) []SSEEvent {
	p.rest = append(p.rest, chunk...)
	if !p.started {
		if len(p.rest) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, p.rest) {
			return nil
		}
		p.rest = bytes.TrimPrefix(p.rest, byteOrderMark)
		p.started = true
	}
	var events []SSEEvent
	for {
		// A CR ends the line at once; an LF that follows it, perhaps in the next bytes, belongs to it.
		if p.afterCR && len(p.rest) > 0 {
			p.rest = bytes.TrimPrefix(p.rest, []byte("\n"))
			p.afterCR = false
		}
		at := bytes.IndexAny(p.rest, "\r\n")
		if at < 0 {
			return events
		}
		p.afterCR = p.rest[at] == '\r'
		line := strings.ToValidUTF8(string(p.rest[:at]), "\ufffd")
		p.rest = p.rest[at+1:]
		if event, done := p.line(line); done {
			events = append(events, event)
		}
	}
}

func (p *SSEParser) line(line string) (SSEEvent, bool) {
	if line == "" {
		done := len(p.data) > 0
		event := SSEEvent{p.id, p.event, strings.Join(p.data, "\n")}
		if event.Event == "" {
			event.Event = "message"
		}
		p.event, p.data = "", nil
		return event, done
	}
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "data":
		p.data = append(p.data, value)
	case "event":
		p.event = value
	case "id":
		if !strings.Contains(value, "\x00") {
			p.id = value
		}
	}
	return SSEEvent{}, false
}
