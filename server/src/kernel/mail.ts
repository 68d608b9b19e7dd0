/** Sending mail. Without a mail server the platform goes on: links are then handed to the admin who asked. */
export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /** False for the development sink: nobody receives what is sent. */
  delivers: boolean;
  /** Rejects when the server does not take it. */
  send(mail: Mail): Promise<void>;
}
