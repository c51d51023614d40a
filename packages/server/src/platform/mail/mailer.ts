/**
 * Sends email over SMTP. Errors never quote the mail server's response, because it may repeat the email,
 * which may contain an API key. Only the result of a test message quotes the response, because test messages
 * contain no secrets.
 */
import type { Transporter } from 'nodemailer'

type Mail = { readonly to: string; readonly subject: string; readonly text: string }
export type Mailer = {
  /**
   * Resolves when a mail server accepts the email. Rejects if none does, or if the signal aborts, with a
   * {@link MailRejected} if the server may still accept other emails.
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/** The mail server rejected this email, for example because its recipient doesn't exist. */
export class MailRejected extends Error {}

const TIMEOUT_MS = 15_000
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i

/** `url` has the form `smtps://user:password@host`. */
export function openMailer(url: string, from: string): Mailer {
  let opened: Promise<Transporter> | undefined
  return {
    async send({ to, subject, text }, signal) {
      try {
        opened ??= openTransport(url)
        const transport = await opened
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, signal })
      } catch (error) {
        const words = `the email could not be sent: ${causeOf(error)}`
        throw isOfMail(error) ? new MailRejected(words) : new Error(words)
      }
    },
  }
}

const SERVER_CLOSES = 421

function isOfMail(error: unknown): boolean {
  const { code = '', responseCode } = error as { readonly code?: string; readonly responseCode?: number }
  return ['EENVELOPE', 'EMESSAGE'].includes(code) && responseCode !== SERVER_CLOSES
}

export type Trial = {
  readonly isSent: boolean
  /**
   * The mail server's own response, or the reason there is none. Contains neither the user name nor the
   * password.
   */
  readonly answer: string
}

/** Sends an email without secrets over a separate connection. */
export async function tryMailer(url: string, from: string, { to, subject, text }: Mail): Promise<Trial> {
  const transport = await openTransport(url)
  const signal = AbortSignal.timeout(TRIAL_MS)
  try {
    const sent = await transport.sendMail({ from, to: { name: '', address: to }, subject, text, signal })
    return { isSent: true, answer: withoutLogin(url, String(sent.response ?? '')) }
  } catch (error) {
    const { response, message } = error as { readonly response?: string; readonly message?: string }
    return { isSent: false, answer: withoutLogin(url, response ?? message ?? causeOf(error)) }
  } finally {
    transport.close()
  }
}

const TRIAL_MS = 30_000
const MAX_ANSWER = 500

/** A mail server may repeat what was sent to it, including the login in plain text or as base64. */
function withoutLogin(url: string, answer: string): string {
  const { username, password } = new URL(url)
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)]
  const plain = [user, secret, username, password, `\0${user}\0${secret}`].filter((one) => one.length > 1)
  const secrets = plain.flatMap((one) => [one, Buffer.from(one).toString('base64')])
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length)
  const clean = longestFirst.reduce((rest, one) => rest.replaceAll(one, '…'), answer)
  return clean
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_ANSWER)
    .toWellFormed()
}

/** Connects and signs in without sending anything. Resolves to the reason for a failure, or undefined. */
export async function mailFault(url: string): Promise<string | undefined> {
  const transport = await openTransport(url)
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    const cause = causeOf(error)
    const fix = /EAUTH/.test(cause) ? 'correct the user and password' : 'correct the host, port and scheme'
    return `SCRIPTWARD_SMTP_URL: cannot send email through ${new URL(url).host} (${cause}): ${fix}`
  } finally {
    transport.close()
  }
}

/** Loads the large library only when the first email is sent, because most servers never send one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    requireTLS: mustEncrypt(url),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** An unencrypted connection must first be upgraded to TLS, unless the mail server is on this machine. */
export function mustEncrypt(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'smtp:' && !LOCAL.test(hostname)
}

function causeOf(error: unknown): string {
  const { code, responseCode, command } = error as Readonly<Record<string, unknown>>
  return [code, responseCode, command].filter((part) => part !== undefined).join(' ') || 'unknown'
}
