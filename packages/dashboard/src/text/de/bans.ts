/** Bans of devices, networks and chat accounts. */
import { number } from '../../format.ts'
import type { bansText as english } from '../en/bans.ts'
import type { Words } from '../words.ts'

const users = (count: number) => `${number(count)} Nutzer`

export const bansText: Words<typeof english> = {
  intro:
    'Geräte, Netze und Chat-Konten, mit denen niemand Ihre Skripte ausführt, gleich mit welchem Schlüssel. Für einen einzelnen Schlüssel sperren Sie den Nutzer.',
  newBan: 'Neuer Bann',
  banUser: 'Bannen …',
  banUserTitle: 'Bannen, was dieser Nutzer benutzt',
  kind: 'Art',
  all: 'Alle',
  kinds: { device: 'Gerät', network: 'Netz', chat: 'Chat-Konto' },
  list: 'Banne',
  noneTitle: 'Niemand ist gebannt',
  noneHint:
    'Bannen Sie ein Gerät, ein Netz oder ein Chat-Konto, wenn jemand mit einem anderen Schlüssel wiederkommt. Auf der Seite eines Nutzers bannen Sie, was er benutzt.',
  values: {
    device: 'Kennung des Geräts',
    network: 'Adresse oder Netz',
    chat: 'Chat-ID',
  },
  valueHints: {
    device:
      'Wie der Executor sie sendet, etwa aus den Daten eines anderen Dienstes. Um das Gerät eines Nutzers zu bannen, öffnen Sie den Nutzer.',
    network:
      'Etwa 203.0.113.7, 203.0.113.0/24 oder 2001:db8::/48; höchstens ein /16 von IPv4 oder ein /32 von IPv6.',
    chat: 'Jeder Schlüssel, der mit ihm verknüpft ist, wird abgewiesen.',
  },
  ofUser: {
    device: 'Jeder Schlüssel dieses Projekts wird auf ihm abgewiesen.',
    network: 'Das Netz seiner letzten Ausführung. Auch andere können darin sein.',
    chat: 'Jeder Schlüssel, der mit ihm verknüpft ist, wird abgewiesen.',
  },
  reason: 'Grund',
  reasonHint: 'Nutzer lesen ihn, wenn sie abgewiesen werden.',
  ends: 'Endet',
  never: 'Endet nie',
  endsAt: 'Endet',
  takenFrom: 'Genommen von',
  show: 'Zeigen, wen es trifft',
  ban: 'Bannen',
  whatIsHit: 'Wen es trifft',
  counting: 'Wird gezählt …',
  hits: (value) => `Gebannt wird ${value}.`,
  hitUsers: (count) =>
    count === 0
      ? 'Von keinem Nutzer ist bekannt, dass er es benutzt.'
      : count === 1
        ? '1 Nutzer hat es zuletzt benutzt, oder ist daran gebunden.'
        : `${users(count)} haben es zuletzt benutzt, oder sind daran gebunden.`,
  hitRuns: (count) =>
    count === 0
      ? 'Im Moment läuft nichts damit.'
      : count === 1
        ? '1 Ausführung endet sofort.'
        : `${number(count)} Ausführungen enden sofort.`,
  isBanned: 'Es ist schon gebannt.',
  banned: (value) => `${value} ist gebannt.`,
  edit: 'Bearbeiten',
  editTitle: (value) => `Bann von ${value} bearbeiten`,
  remove: 'Aufheben',
  removeTitle: (value) => `Bann von ${value} aufheben?`,
  removeWords:
    'Von der nächsten Ausführung an ist es wieder zugelassen, soweit der Schlüssel es erlaubt. Was beendet ist, bleibt beendet.',
  gone: 'Dieser Bann ist abgelaufen, oder jemand hat ihn aufgehoben.',
  shared: 'Geteilt',
  notShared: 'Nicht geteilt',
  sharedFilter: 'Weitergabe',
  lately: 'Benutzt in 7 Tagen',
  usedIn: (networks, devices) =>
    `${networks === 1 ? '1 Netz' : `${number(networks)} Netze`}${devices === 0 ? '' : `, ${devices === 1 ? '1 anderes Gerät abgewiesen' : `${number(devices)} andere Geräte abgewiesen`}`}`,
  threshold: 'Netze, bis ein Schlüssel als geteilt gilt',
  thresholdHint:
    'Ein Schlüssel, der in 7 Tagen in mehr Netzen benutzt wird, bekommt ein Zeichen, und Ihre Webhooks erfahren es einmal am Tag. 0 schaltet es ab; höchstens 32.',
  thresholdWrong: 'Geben Sie eine ganze Zahl von 0 bis 32 an.',
}
