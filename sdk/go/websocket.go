package pentarch

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"
)

// Frames of a WebSocket client (RFC 6455). Pinned by sdk/vectors/frames.json.

const (
	opContinuation = 0
	opText         = 1
	opBinary       = 2
	opClose        = 8
	opPing         = 9
	opPong         = 10

	closeNormal   = 1000
	closeProtocol = 1002
	closeNone     = 1005
	closeAbnormal = 1006
	closeBadText  = 1007
	closeTooBig   = 1009

	maxMessageBytes = 16 << 20
	maxControlBytes = 125
)

// frameError tells that what came is no WebSocket; code is the close code to answer with.
type frameError struct {
	code   int
	reason string
}

func (e *frameError) Error() string { return fmt.Sprintf("%s (%d)", e.reason, e.code) }

// wsMessage is a whole message, or a control frame. code belongs to a close; 1005 where it named none.
type wsMessage struct {
	opcode  byte
	payload []byte
	code    int
}

// acceptOf is what a server answers to a key (section 4.2.2).
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// encodeFrame makes one whole frame of a client, which is always masked (section 5.3).
func encodeFrame(opcode byte, payload []byte, mask [4]byte) []byte {
	frame := make([]byte, 0, len(payload)+14)
	frame = append(frame, 0x80|opcode)
	switch length := len(payload); {
	case length < 126:
		frame = append(frame, 0x80|byte(length))
	case length < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(length))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(length))
	}
	frame = append(frame, mask[:]...)
	for n, value := range payload {
		frame = append(frame, value^mask[n%4])
	}
	return frame
}

func closePayload(code int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(code)) }

// closeOf reads a close frame; section 7.4 names the codes that may travel.
func closeOf(payload []byte) (wsMessage, error) {
	if len(payload) == 0 {
		return wsMessage{opClose, nil, closeNone}, nil
	}
	if len(payload) == 1 {
		return wsMessage{}, &frameError{closeProtocol, "a close code of one byte"}
	}
	code := int(binary.BigEndian.Uint16(payload))
	travels := (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)
	if !travels {
		return wsMessage{}, &frameError{closeProtocol, fmt.Sprintf("close code %d", code)}
	}
	if !utf8.Valid(payload[2:]) {
		return wsMessage{}, &frameError{closeBadText, "a close reason that is no UTF-8"}
	}
	return wsMessage{opClose, payload[2:], code}, nil
}

// frameReader reads messages; their fragments are put together.
type frameReader struct {
	in     *bufio.Reader
	opcode byte
	parts  []byte
}

func (r *frameReader) frame() (final bool, opcode byte, payload []byte, err error) {
	var head [2]byte
	if _, err = io.ReadFull(r.in, head[:]); err != nil {
		return false, 0, nil, err
	}
	final, opcode = head[0]&0x80 != 0, head[0]&0x0f
	length := uint64(head[1] & 0x7f)
	switch {
	case head[0]&0x70 != 0:
		return false, 0, nil, &frameError{closeProtocol, "a reserved bit is set"}
	case head[1]&0x80 != 0:
		return false, 0, nil, &frameError{closeProtocol, "a server does not mask"}
	case opcode > opPong || (opcode > opBinary && opcode < opClose):
		return false, 0, nil, &frameError{closeProtocol, fmt.Sprintf("opcode %d", opcode)}
	case opcode >= opClose && (!final || length > maxControlBytes):
		return false, 0, nil, &frameError{closeProtocol, "a control frame that is long or in parts"}
	}
	if length >= 126 {
		size := 2
		if length == 127 {
			size = 8
		}
		var long [8]byte
		if _, err = io.ReadFull(r.in, long[8-size:]); err != nil {
			return false, 0, nil, err
		}
		length = binary.BigEndian.Uint64(long[:])
	}
	if length > maxMessageBytes || length+uint64(len(r.parts)) > maxMessageBytes {
		return false, 0, nil, &frameError{closeTooBig, "the message is too big"}
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(r.in, payload)
	return final, opcode, payload, err
}

// next gives the next message; io.EOF or another error of the connection at its end, *frameError for what is wrong.
func (r *frameReader) next() (wsMessage, error) {
	for {
		final, opcode, payload, err := r.frame()
		if err != nil {
			return wsMessage{}, err
		}
		switch {
		case opcode == opClose:
			return closeOf(payload)
		case opcode >= opClose:
			return wsMessage{opcode, payload, 0}, nil
		case (opcode == opContinuation) != (r.opcode != 0):
			return wsMessage{}, &frameError{closeProtocol, "a continuation out of place"}
		}
		if opcode != opContinuation {
			r.opcode = opcode
		}
		r.parts = append(r.parts, payload...)
		if !final {
			continue
		}
		message := wsMessage{r.opcode, r.parts, 0}
		r.opcode, r.parts = 0, nil
		if message.opcode == opText && !utf8.Valid(message.payload) {
			return wsMessage{}, &frameError{closeBadText, "a text that is no UTF-8"}
		}
		return message, nil
	}
}
