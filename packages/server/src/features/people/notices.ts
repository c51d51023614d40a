/** Mails to people about changes to how they sign in, so that they notice changes they did not make (ASVS 6.3.7). */
import type { MailText } from '../accounts/mails.ts'

const NOT_YOU =
  'If that was not you, ask for a new password on the sign-in page, or ask the operator of your service.'

/** Sent to the former address. */
export function emailChanged(to: string): MailText {
  return {
    to,
    subject: 'Your Scriptward e-mail address was changed',
    text: 'From now on you sign in to Scriptward with another e-mail address.\n\nIf that was not you, ask the operator of your service to reset your access.\n',
  }
}

export function passwordChanged(to: string): MailText {
  return notice(to, 'Your Scriptward password was changed', 'All your other sign-ins have ended.')
}

/** Anyone can trigger this mail, so it contains no link and is sent at most once a day. */
export function passwordGuessed(to: string): MailText {
  return {
    to,
    subject: 'Somebody is guessing your Scriptward password',
    text: 'More than 20 wrong passwords were entered for your Scriptward sign-in within a day, in browsers that you have not used before. None of them was right.\n\nIf that was you, ignore this mail. Otherwise make sure that you use your password nowhere else, and add an authenticator app or a passkey under Sign-in and security in the dashboard.\n',
  }
}

type Removal = { readonly account: string; readonly link: string }

/** Sent to an owner who was removed or given a lower role. */
export function ownerRemoved(to: string, { account, link }: Removal): MailText {
  const text = [
    `You are no longer an owner of the Scriptward account ${account}.`,
    '',
    'If you agreed to this, do nothing. If not, open this link within seven days to become an owner again:',
    '',
    link,
    '',
    'It works once. Nothing else in the account changes, and for seven days nobody can remove you again.',
    'Then sign in, remove whoever you do not know, and replace the API key.',
    '',
  ]
  return { to, subject: 'You are no longer an owner of a Scriptward account', text: text.join('\n') }
}

type Return = { readonly account: string; readonly owner: string }

export function ownerRestored(to: string, { account, owner }: Return): MailText {
  return {
    to,
    subject: 'A removed owner is back in your Scriptward account',
    text: `${owner} objected to being removed as an owner of the Scriptward account ${account}, and is an owner again. Nobody can remove them for seven days.\n\nIf you did not expect this, check the members of the account and its audit log.\n`,
  }
}

/** `what` is a complete sentence. */
export function factorsChanged(to: string, what: string): MailText {
  return notice(to, 'How you sign in to Scriptward was changed', what)
}

function notice(to: string, subject: string, what: string): MailText {
  return { to, subject, text: `${subject}. ${what}\n\n${NOT_YOU}\n` }
}
