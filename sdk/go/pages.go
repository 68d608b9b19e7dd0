package pentarch

import (
	"context"
	"iter"
	"maps"
	"net/url"
	"regexp"
)

// Page is one page of a list.
type Page[T any] struct {
	Items      []T     `json:"items"`
	Page       int64   `json:"page"`
	Limit      int64   `json:"limit"`
	Total      int64   `json:"total"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

var (
	links   = regexp.MustCompile(`<([^>]*)>([^<]*)`)
	relNext = regexp.MustCompile(`;\s*rel="?next"?`)
)

// nextQueryOf gives what a Link header's next address asks for (RFC 8288): its cursor, else its page.
func nextQueryOf(link string) (name, value string) {
	for _, part := range links.FindAllStringSubmatch(link, -1) {
		if !relNext.MatchString(part[2]) {
			continue
		}
		target, err := url.Parse(part[1])
		if err != nil {
			return "", ""
		}
		for _, name := range []string{"cursor", "page"} {
			if value := target.Query().Get(name); value != "" {
				return name, value
			}
		}
		return "", ""
	}
	return "", ""
}

func nextCall(c call, name, value string) call {
	query := url.Values{}
	maps.Copy(query, c.query)
	// A cursor stands in place of a page number.
	query.Del("page")
	query.Del("cursor")
	query.Set(name, value)
	c.query = query
	return c
}

func allItems[T any](ctx context.Context, t *transport, c call, options []CallOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		c := c
		for {
			page, err := getJSON[Page[T]](ctx, t, c, options)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			c = nextCall(c, "cursor", *page.NextCursor)
		}
	}
}

func allBareItems[T any](ctx context.Context, t *transport, c call, options []CallOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		c := c
		for {
			items, header, err := getWithHeader[[]T](ctx, t, c, options)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			name, value := nextQueryOf(header.Get("Link"))
			if name == "" {
				return
			}
			c = nextCall(c, name, value)
		}
	}
}
