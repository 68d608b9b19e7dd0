package pentarch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Upload is a file to index. File is read from its start for each try.
type Upload struct {
	File     io.ReadSeeker
	Filename string
	// ContentType is application/octet-stream when empty; the server looks at the bytes anyway.
	ContentType string
	Title       string
	Metadata    map[string]any
	// Visibility is private, tenant or role.
	Visibility string
	// Roles may read it with the visibility role.
	Roles []string
	// ExternalID is its name in its source: the same again replaces the content, as a new version.
	ExternalID string
	// OnProgress counts bytes; it starts again when the upload is tried again.
	OnProgress func(sentBytes, totalBytes int64)
}

// As browsers write it (WHATWG HTML, multipart/form-data encoding).
var quoted = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")

type countingReader struct {
	inner io.Reader
	sent  int64
	total int64
	tell  func(sentBytes, totalBytes int64)
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.inner.Read(p)
	r.sent += int64(n)
	if n > 0 {
		r.tell(r.sent, r.total)
	}
	return n, err
}

// multipart puts the fields first, then the file (RFC 7578): it is never held whole.
func multipart(u Upload, boundary string) (*rawBody, error) {
	var head bytes.Buffer
	field := func(name, value string) {
		fmt.Fprintf(&head, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", boundary, name, value)
	}
	if u.Title != "" {
		field("title", u.Title)
	}
	if u.Metadata != nil {
		text, err := json.Marshal(u.Metadata)
		if err != nil {
			return nil, err
		}
		field("metadata", string(text))
	}
	if u.Visibility != "" {
		field("visibility", u.Visibility)
	}
	if len(u.Roles) > 0 {
		field("roles", strings.Join(u.Roles, ","))
	}
	if u.ExternalID != "" {
		field("external_id", u.ExternalID)
	}
	if u.Filename == "" {
		u.Filename = "document"
	}
	if u.ContentType == "" {
		u.ContentType = "application/octet-stream"
	}
	fmt.Fprintf(&head, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
		boundary, quoted.Replace(u.Filename), u.ContentType)
	tail := fmt.Sprintf("\r\n--%s--\r\n", boundary)
	length, err := u.File.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	total := int64(head.Len()) + length + int64(len(tail))
	open := func() (io.Reader, error) {
		if _, err := u.File.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		whole := io.MultiReader(bytes.NewReader(head.Bytes()), u.File, strings.NewReader(tail))
		if u.OnProgress == nil {
			return whole, nil
		}
		return &countingReader{inner: whole, total: total, tell: u.OnProgress}, nil
	}
	return &rawBody{"multipart/form-data; boundary=" + boundary, total, open}, nil
}

// UploadDocument uploads and indexes a file; it is searchable when this returns.
func (r *Knowledge) UploadDocument(ctx context.Context, upload Upload, options ...CallOption) (*Document, error) {
	raw, err := multipart(upload, "pentarch-"+newKey())
	if err != nil {
		return nil, err
	}
	return getJSON[Document](ctx, r.http, call{
		method: "POST", path: "/api/v1/knowledge/documents", raw: raw, slow: true,
	}, options)
}
