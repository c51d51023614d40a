/** The page on which a person allows a command line to have a token. */
import type { commandLineText as english } from '../en/command-line.ts'
import type { Words } from '../words.ts'

export const commandLineText: Words<typeof english> = {
  title: 'Diese Befehlszeile erlauben?',
  intro: (account) => `Sie bekommt ein Token, mit dem sie im Konto ${account} arbeitet.`,
  hint: 'Erlauben Sie das nur, wenn Sie gerade selbst „scriptward login“ gestartet haben.',
  name: 'Name',
  account: 'Konto',
  rights: 'Rechte',
  lacking: 'Nicht gegeben, weil Sie es selbst nicht haben',
  ends: 'Token endet',
  never: 'wenn Sie es widerrufen',
  allow: 'Erlauben',
  deny: 'Nicht erlauben',
  nothingLeft: 'Sie haben keines der Rechte, die sie wünscht.',
  brokenTitle: 'Diese Adresse ist unvollständig',
  broken: 'Starten Sie „scriptward login“ noch einmal, und öffnen Sie die ganze Adresse, die es ausgibt.',
  doneTitle: 'Die Befehlszeile ist angemeldet',
  done: 'Sie können diesen Tab schließen und im Terminal weitermachen. Das Token steht unter Tokens, wo Sie es widerrufen können.',
}
