package pentarch

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// PKCE is one sign-in of a person by authorization code (RFC 7636, S256). Keep Verifier until the code comes back;
// compare State with the one that comes back.
type PKCE struct {
	Verifier  string
	Challenge string
	State     string
}

// ChallengeOf is the S256 challenge of a verifier (RFC 7636, section 4.2).
func ChallengeOf(verifier string) string {
	digest := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

// NewPKCE makes a verifier, its challenge and a state.
func NewPKCE() PKCE {
	text := func(size int) string {
		random := make([]byte, size)
		_, _ = rand.Read(random)
		return base64.RawURLEncoding.EncodeToString(random)
	}
	verifier := text(32)
	return PKCE{verifier, ChallengeOf(verifier), text(16)}
}

// AuthorizeURL is where to send the browser. An empty scope asks for all that a client needs, a refresh token included.
func AuthorizeURL(authURL, clientID, redirectURI, scope string, pkce PKCE) string {
	if scope == "" {
		scope = "openid profile email offline_access"
	}
	query := url.Values{
		"client_id":             {clientID},
		"redirect_uri":          {redirectURI},
		"response_type":         {"code"},
		"scope":                 {scope},
		"state":                 {pkce.State},
		"code_challenge":        {pkce.Challenge},
		"code_challenge_method": {"S256"},
	}
	return strings.TrimRight(authURL, "/") + "/oauth/v2/authorize?" + query.Encode()
}

// Exchange is what changes a code into tokens. Client is optional.
type Exchange struct {
	AuthURL     string
	ClientID    string
	RedirectURI string
	Code        string
	Verifier    string
	Client      *http.Client
}

// ExchangeCode changes the code that came back into tokens; hand them to Refreshing.
func ExchangeCode(ctx context.Context, in Exchange) (*Tokens, error) {
	client := in.Client
	if client == nil {
		client = http.DefaultClient
	}
	return postForm(ctx, client, strings.TrimRight(in.AuthURL, "/")+"/oauth/v2/token", url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {in.Code},
		"redirect_uri":  {in.RedirectURI},
		"client_id":     {in.ClientID},
		"code_verifier": {in.Verifier},
	})
}
