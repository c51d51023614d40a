/** Why the service refused something, by the type of its error. */
export const refusalsText = {
  refusals: {
    rate_limited: 'Too many tries. Wait a moment, then try again.',
    unavailable: 'The service is busy. Try again in a moment.',
    internal: 'Something went wrong at the service. Try again; its operator finds this in the log.',
    csrf_failed: 'This page is out of date. Reload it and try again.',
    unauthorized: 'You are not signed in any more.',
    wrong_credentials: 'This e-mail and password do not belong together.',
    wrong_code: 'This code is wrong, or it was used before. Wait for the next one.',
    ticket_gone: 'This took too long, or was done before. Start over.',
    passkey_needed: 'Your password alone is not enough here. Sign in with your passkey.',
    passkey_refused: 'This passkey was not accepted. Try again, or use another one.',
    second_factor_needed:
      'This service wants a second factor from you. Add an authenticator app or a passkey on your profile first.',
    link_gone: 'This link was used before, or its time is over. Ask for a new one where you got this one.',
    account_has_people:
      'This account has people already. Sign in as one of them, or ask an operator to reset the access of one.',
    email_already_taken: 'A person with this e-mail exists already. Use another one, or sign in with it.',
    invitation_for_another:
      'This invitation is for another e-mail than the one you are signed in with. Sign out first.',
    sign_in_first:
      'A person with this e-mail exists already. Give their password, or sign in with a passkey.',
    already_member: 'You are a member of this account already.',
    max_members_reached: 'This account has as many members as it may. Its owner can remove one.',
    sign_up_closed: 'Sign-up is off here. Ask the owner of an account to invite you.',
    captcha_failed: 'The check that you are no robot failed, or took too long. Try again.',
    passkeys_unavailable:
      'Passkeys do not work at this address. They need https and a host name, or http://localhost.',
  },
} as const
