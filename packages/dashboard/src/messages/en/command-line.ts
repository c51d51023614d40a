/** The page on which a person allows a command line to have a token. */

export const commandLineText = {
  title: 'Allow this command line?',
  intro: (account: string) => `It gets a token, with which it works in the account ${account}.`,
  hint: 'Allow it only if you have just started “scriptward login” yourself.',
  name: 'Name',
  account: 'Account',
  rights: 'Rights',
  lacking: 'Not given, because you do not have it yourself',
  ends: 'Token ends',
  never: 'when you revoke it',
  allow: 'Allow',
  deny: 'Do not allow',
  nothingLeft: 'You have none of the rights that it asks for.',
  brokenTitle: 'This address is not complete',
  broken: 'Start “scriptward login” once more, and open the whole address that it prints.',
  doneTitle: 'The command line is signed in',
  done: 'You can close this tab and go on in your terminal. The token is listed under Tokens, where you can revoke it.',
} as const
