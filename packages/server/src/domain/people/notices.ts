/** Mails to people about what changed in how they sign in, so that they notice a change that was not theirs (ASVS 6.3.7). */
import type { MailText } from '../mails.ts'

const NOT_YOU =
  'If that was not you, ask for a new password on the sign-in page, or ask the operator of your service.'

/** Goes to the former address. */
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

/** `what` is a whole sentence. */
export function factorsChanged(to: string, what: string): MailText {
  return notice(to, 'How you sign in to Scriptward was changed', what)
}

function notice(to: string, subject: string, what: string): MailText {
  return { to, subject, text: `${subject}. ${what}\n\n${NOT_YOU}\n` }
}
