/**
 * The sentences of the audit log: what each action did, by its name. Words in braces are ids that the entry names, or members
 * that it changed.
 */
import { number } from '../../format.ts'
import type { auditText as english } from '../en/audit.ts'
import type { Words } from '../words.ts'

type Actions = Words<typeof english>['auditActions']

const projects: Actions['projects'] = {
  'v1.projects.create': 'hat Projekt {project_id} angelegt',
  'v1.projects.edit': 'hat Projekt {project_id} geändert',
  'v1.projects.remove': 'hat Projekt {project_id} entfernt',
  'v1.branding.edit': 'hat das Erscheinungsbild von Projekt {project_id} geändert',
  'v1.chatMembers.add': 'hat Mitglieder des Chats zu Projekt {project_id} hinzugefügt',
  'v1.chatMembers.remove': 'hat Mitglieder des Chats aus Projekt {project_id} entfernt',
  'v1.chatMembers.replace': 'hat die Chat-Mitglieder von Projekt {project_id} ersetzt',
}
const scripts: Actions['scripts'] = {
  'v1.projectScripts.create': 'hat Skript {script_id} in Projekt {project_id} hochgeladen',
  'v1.scripts.edit': 'hat Skript {script_id} geändert',
  'v1.scripts.update': 'hat Version {version} von Skript {script_id} hochgeladen',
  'v1.scripts.toggle': 'hat Skript {script_id} geschaltet',
  'v1.scripts.traceback': 'hat einen Fehler von Skript {script_id} nachgeschlagen',
  'v1.scripts.trace': 'hat eine Kopie von Skript {script_id} zurückverfolgt',
  'v1.scripts.remove': 'hat Skript {script_id} entfernt',
  'v1.scriptVersions.activate': 'hat Version {n} von Skript {script_id} aktiviert',
}
const users: Actions['users'] = {
  'v1.projectUsers.create': 'hat Nutzer {user_key} in Projekt {project_id} angelegt',
  'v1.projectUsers.generate': 'hat Nutzer von Projekt {project_id} erzeugt',
  'v1.projectUsers.import': 'hat Nutzer in Projekt {project_id} importiert',
  'v1.projectUsers.export': 'hat die Nutzer von Projekt {project_id} exportiert',
  'v1.projectUsers.compensate': 'hat Nutzern von Projekt {project_id} mehr Zeit gegeben',
  'v1.projectUsers.resetAll': 'hat die Geräte aller Nutzer von Projekt {project_id} zurückgesetzt',
  'v1.projectUsers.purge': 'hat Nutzer von Projekt {project_id} bereinigt',
  'v1.projectUsers.clear': 'hat alle Nutzer von Projekt {project_id} entfernt',
  'v1.users.edit': 'hat Nutzer {user_key} geändert',
  'v1.users.reset': 'hat das Gerät von Nutzer {user_key} zurückgesetzt',
  'v1.users.link': 'hat Nutzer {user_key} verknüpft',
  'v1.users.blacklist': 'hat Nutzer {user_key} gesperrt',
  'v1.users.unblacklist': 'hat die Sperre von Nutzer {user_key} aufgehoben',
  'v1.users.unlock': 'hat Nutzer {user_key} entsperrt',
  'v1.users.remove': 'hat Nutzer {user_key} entfernt',
  'delete-expired-users': 'hat abgelaufene Nutzer von Projekt {project_id} entfernt',
  'end-blacklists': 'hat abgelaufene Sperren beendet',
}
const sessions: Actions['sessions'] = {
  'v1.sessions.message': 'hat Sitzung {session_id} eine Nachricht gesendet',
  'v1.sessions.messageMany': 'hat mehreren Sitzungen eine Nachricht gesendet',
  'v1.sessions.disconnect': 'hat Sitzung {session_id} beendet',
  'v1.sessions.disconnectMany': 'hat mehrere Sitzungen beendet',
  'v1.projectSessions.message': 'hat allen Sitzungen von Projekt {project_id} eine Nachricht gesendet',
  'v1.projectSessions.disconnect': 'hat alle Sitzungen von Projekt {project_id} beendet',
}
const ads: Actions['ads'] = {
  'v1.adSystems.create': 'hat Werbesystem {system_id} angelegt',
  'v1.adSystems.edit': 'hat Werbesystem {system_id} geändert',
  'v1.adSystems.url': 'hat die Adresse von Werbesystem {system_id} geändert',
  'v1.adSystems.remove': 'hat Werbesystem {system_id} entfernt',
  'v1.adCheckpoints.prepare': 'hat einen Schritt von Werbesystem {system_id} vorbereitet',
  'v1.adCheckpoints.create': 'hat Schritt {checkpoint_id} von Werbesystem {system_id} angelegt',
  'v1.adCheckpoints.createByGet': 'hat Schritt {checkpoint_id} von Werbesystem {system_id} angelegt',
  'v1.adCheckpoints.edit': 'hat Schritt {checkpoint_id} geändert',
  'v1.adCheckpoints.swap': 'hat Schritt {checkpoint_id} verschoben',
  'v1.adCheckpoints.remove': 'hat Schritt {checkpoint_id} entfernt',
}
const webhooks: Actions['webhooks'] = {
  'v1.webhooks.test': 'hat einen Webhook von Projekt {project_id} getestet',
  'v1.webhooks.redeliver': 'hat Zustellung {delivery_id} von Projekt {project_id} wiederholt',
}
const team: Actions['team'] = {
  'v1.members.invite': 'hat {email} eingeladen als {role}',
  'v1.invitations.withdraw': 'hat Einladung {invitation_id} zurückgezogen',
  'v1.auth.invitation': 'hat eine Einladung angenommen',
  'v1.members.edit': 'hat Mitglied {member_id} geändert',
  'v1.members.remove': 'hat Mitglied {member_id} entfernt',
  'v1.members.leave': 'hat das Konto verlassen',
  'v1.tokens.create': 'hat Token {token_id} angelegt',
  'v1.tokens.edit': 'hat Token {token_id} geändert',
  'v1.tokens.rotate': 'hat Token {token_id} ein neues Geheimnis gegeben',
  'v1.tokens.revoke': 'hat Token {token_id} widerrufen',
}
const account: Actions['account'] = {
  'v1.account.edit': 'hat das Konto geändert',
  'v1.account.resetKey': 'hat den API-Schlüssel ersetzt',
  'v1.auth.account': 'hat zu diesem Konto gewechselt',
  'v1.auth.setUp': 'hat die eigene Anmeldung per Link eingerichtet',
  'v1.auth.setUp.passkeyFinish': 'hat die eigene Anmeldung per Link eingerichtet, mit einem Passkey',
  'v1.auth.signUp': 'hat sich registriert',
  'v1.auth.signUp.confirm': 'hat die Registrierung bestätigt',
}
const signIns: Actions['signIns'] = {
  'v1.auth.password': 'hat sich mit Passwort angemeldet',
  'v1.auth.secondFactor': 'hat sich mit Passwort und zweitem Faktor angemeldet',
  'v1.auth.passkeys.finish': 'hat sich mit einem Passkey angemeldet',
  'v1.auth.signOut': 'hat sich abgemeldet',
  'v1.auth.confirm': 'hat sich ausgewiesen',
  'v1.auth.passkeys.confirm': 'hat sich mit einem Passkey ausgewiesen',
  'v1.signIns.end': 'hat Anmeldung {sign_in_id} beendet',
  'v1.signIns.endOthers': 'hat alle anderen eigenen Anmeldungen beendet',
  'v1.auth.reset.request': 'hat ein neues Passwort angefordert',
  'v1.auth.reset': 'hat das Passwort per Link zurückgesetzt',
  'v1.auth.password.change': 'hat das Passwort geändert',
  'v1.auth.person.edit': 'hat das eigene Profil geändert',
  'v1.auth.person.email': 'hat die eigene E-Mail-Adresse geändert',
  'v1.auth.totp.begin': 'hat begonnen, einen zweiten Faktor einzurichten',
  'v1.auth.totp.finish': 'hat einen zweiten Faktor eingerichtet',
  'v1.auth.totp.remove': 'hat den zweiten Faktor ausgeschaltet',
  'v1.auth.recoveryCodes.new': 'hat neue Wiederherstellungscodes erzeugt',
  'v1.auth.passkeys.addFinish': 'hat Passkey {passkey_id} hinzugefügt',
  'v1.auth.passkeys.edit': 'hat Passkey {passkey_id} umbenannt',
  'v1.auth.passkeys.remove': 'hat Passkey {passkey_id} entfernt',
}
const operators: Actions['operators'] = {
  'admin.customers.create': 'hat Konto {id} angelegt',
  'admin.customers.remove': 'hat Konto {id} entfernt',
  'admin.tiers.put': 'hat Tarif {id} gespeichert',
  'admin.tiers.remove': 'hat Tarif {id} entfernt',
  'admin.people.reset': 'hat einen Link für ein neues Passwort von Person {id} erzeugt',
  'admin.people.disable': 'hat Person {id} gesperrt',
  'admin.people.enable': 'hat Person {id} entsperrt',
  'admin.customers.edit': 'hat dieses Konto als Betreiber geändert',
  'admin.customers.blacklist': 'hat dieses Konto gesperrt',
  'admin.customers.unblacklist': 'hat die Sperre dieses Kontos aufgehoben',
  'admin.customers.resetKey': 'hat den API-Schlüssel als Betreiber ersetzt',
}

export const auditText: Words<typeof english> = {
  auditGroups: {
    projects: 'Projekte',
    scripts: 'Skripte',
    users: 'Nutzerschlüssel',
    sessions: 'Sitzungen',
    ads: 'Werbung',
    webhooks: 'Webhooks',
    team: 'Mitglieder und Tokens',
    account: 'Konto',
    signIns: 'Anmelden',
    operators: 'Betreiber',
  },
  auditActions: { projects, scripts, users, sessions, ads, webhooks, team, account, signIns, operators },
  otherAction: (action) => `hat ${action} ausgeführt`,
  noEntriesYet: 'Noch wurde nichts geändert',
  noEntriesYetHint: 'Was Personen, Tokens oder der API-Schlüssel in diesem Konto ändern, steht hier.',
  tokenActor: (name) => `Token „${name}“`,
  keyActor: (name) => `Der API-Schlüssel ${name}`,
  hiddenValue: 'verborgen',
  yes: 'ja',
  no: 'nein',
  moreChanges: (count) => (count === 1 ? 'und 1 weitere' : `und ${number(count)} weitere`),
  nounHint: 'Ein Projekt, Skript, Token … Von einem Nutzer die ersten 4 Zeichen des Schlüssels.',
  onlyThis: (name) => `Nur dies: ${name}`,
  onlyThisShort: 'Nur dies',
  entryId: 'Eintrag',
  by: 'Wer',
  memberName: 'Feld',
  noChanges: 'Kein Feld hat sich geändert.',
  notChainedYet: 'in einer Sekunde',
  exporting: 'Exportiert …',
  entryCount: (count, isAll) => {
    if (count === 1) return isAll ? '1 Eintrag' : 'Der neueste Eintrag'
    return isAll ? `${number(count)} Einträge` : `Die neuesten ${number(count)} Einträge`
  },
  verifyTitle: 'Warum Sie ihm trauen können',
  verifyBefore:
    'Der Hash jedes Eintrags umfasst den Eintrag und den Hash des vorigen. Eine Zeile, die in der Datenbank geändert, entfernt oder eingefügt wird, bricht die Kette. Ein Betreiber findet die Stelle mit',
}
