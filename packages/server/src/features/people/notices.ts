/**
 * Emails to users about changes to their sign-in methods, so that they notice changes made by someone else
 * (ASVS 6.3.7).
 */
import type { MailText } from '../accounts/mails.ts'

const NOT_YOU =
  "If this wasn't you, reset your password on the sign-in page, or contact your server's operator."

/** This email is sent to the user's previous address. */
export function emailChanged(to: string): MailText {
  return {
    to,
    subject: 'Your Scriptward email address was changed',
    text: "You now sign in to Scriptward with a different email address.\n\nIf this wasn't you, ask your server's operator to reset your access.\n",
  }
}

export function passwordChanged(to: string): MailText {
  return notice(to, 'Your Scriptward password was changed', 'All your other sessions were signed out.')
}

/** Anyone can trigger this email, so it contains no link and is sent at most once a day. */
export function passwordGuessed(to: string): MailText {
  return {
    to,
    subject: 'Someone is trying to guess your Scriptward password',
    text: "More than 20 wrong passwords were entered for your Scriptward account within a day, in browsers you haven't used before. None of them was correct.\n\nIf this was you, you can ignore this email. Otherwise, make sure you don't use this password anywhere else, and add an authenticator app or a passkey under Sign-in and security in the dashboard.\n",
  }
}

type Removal = { readonly account: string; readonly link: string }

/** This email is sent to an owner who was removed or demoted. */
export function ownerRemoved(to: string, { account, link }: Removal): MailText {
  const text = [
    `You are no longer an owner of the Scriptward account ${account}.`,
    '',
    "If you agreed to this, you don't need to do anything. If not, open this link within seven days to become an owner again:",
    '',
    link,
    '',
    'The link works once. Nothing else in the account changes, and nobody can remove you again for seven days.',
    "Then sign in, remove any members you don't recognize, and replace the API key.",
    '',
  ]
  return { to, subject: 'You are no longer an owner of a Scriptward account', text: text.join('\n') }
}

type Return = { readonly account: string; readonly owner: string }

export function ownerRestored(to: string, { account, owner }: Return): MailText {
  return {
    to,
    subject: 'A removed owner was restored in your Scriptward account',
    text: `${owner} objected to being removed as an owner of the Scriptward account ${account} and is an owner again. Nobody can remove them for seven days.\n\nIf you didn't expect this, check the account's members and audit log.\n`,
  }
}

/** `what` must be a complete sentence. */
export function factorsChanged(to: string, what: string): MailText {
  return notice(to, 'Your Scriptward sign-in settings were changed', what)
}

function notice(to: string, subject: string, what: string): MailText {
  return { to, subject, text: `${subject}. ${what}\n\n${NOT_YOU}\n` }
}
