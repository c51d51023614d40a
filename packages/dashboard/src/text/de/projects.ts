/** The list of projects, and making and removing one. */
import { number } from '../../format.ts'
import type { projectsText as english } from '../en/projects.ts'
import type { Words } from '../words.ts'

export const projectsText: Words<typeof english> = {
  intro: 'Zu einem Projekt gehören Skripte und die Schlüssel der Personen, die sie ausführen dürfen.',
  new: 'Neues Projekt',
  emptyTitle: 'Legen Sie Ihr erstes Projekt an',
  emptyHint:
    'Zu einem Projekt gehören Skripte und die Schlüssel der Personen, die sie ausführen dürfen. Der nächste Schritt ist ein Skript, das geschützt wird.',
  nameHint: 'Unter diesem Namen kennen es Ihre Nutzer. Sie können ihn jederzeit ändern.',
  nameMissing: 'Geben Sie dem Projekt einen Namen.',
  create: 'Projekt anlegen',
  search: 'Projekte suchen',
  found: (count) => (count === 1 ? '1 Projekt' : `${number(count)} Projekte`),
  sessions: 'Läuft gerade',
  noneFound: 'Kein Projekt hat das in seinem Namen',
  noneFoundHint: 'Suchen Sie nach einem anderen Teil des Namens.',
}
