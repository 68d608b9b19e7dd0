package pentarch

// Version is the release of this client.
const Version = "2.0.0"

const userAgent = "pentarch-go/" + Version
