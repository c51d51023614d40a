/** Why the service refused something, by the type of its error. */
import { bytes, number } from '../../format.ts'
import type { refusalsText as english } from '../en/refusals.ts'
import type { Words } from '../words.ts'

export const refusalsText: Words<typeof english> = {
  refusals: {
    rate_limited: 'Zu viele Versuche. Warten Sie einen Moment, und versuchen Sie es erneut.',
    unavailable: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    internal: 'Beim Dienst ging etwas schief. Versuchen Sie es erneut; sein Betreiber findet dies im Log.',
    csrf_failed: 'Diese Seite ist veraltet. Laden Sie sie neu, und versuchen Sie es erneut.',
    unauthorized: 'Sie sind nicht mehr angemeldet.',
    wrong_credentials: 'Diese E-Mail-Adresse und dieses Passwort gehören nicht zusammen.',
    wrong_code: 'Dieser Code ist falsch oder schon verwendet. Warten Sie auf den nächsten.',
    ticket_gone: 'Das dauerte zu lange oder ist schon geschehen. Beginnen Sie von vorn.',
    passkey_needed: 'Ihr Passwort allein genügt hier nicht. Melden Sie sich mit Ihrem Passkey an.',
    passkey_refused:
      'Dieser Passkey wurde nicht angenommen. Versuchen Sie es erneut, oder nehmen Sie einen anderen.',
    second_factor_needed:
      'Dieser Dienst verlangt einen zweiten Faktor von Ihnen. Fügen Sie zuerst in Ihrem Profil eine Authenticator-App oder einen Passkey hinzu.',
    link_gone:
      'Dieser Link wurde schon verwendet oder ist abgelaufen. Bitten Sie dort um einen neuen, wo Sie diesen bekommen haben.',
    account_has_people:
      'Dieses Konto hat schon Personen. Melden Sie sich als eine von ihnen an, oder bitten Sie einen Betreiber, den Zugang einer Person zurückzusetzen.',
    email_already_taken:
      'Eine Person mit dieser E-Mail-Adresse gibt es schon. Nehmen Sie eine andere, oder melden Sie sich damit an.',
    invitation_for_another:
      'Diese Einladung ist für eine andere E-Mail-Adresse als die, mit der Sie angemeldet sind. Melden Sie sich zuerst ab.',
    sign_in_first:
      'Eine Person mit dieser E-Mail-Adresse gibt es schon. Geben Sie deren Passwort ein, oder melden Sie sich mit einem Passkey an.',
    already_member: 'Sie sind schon Mitglied dieses Kontos.',
    max_members_reached:
      'Dieses Konto hat so viele Mitglieder, wie es darf. Sein Inhaber kann eines entfernen.',
    sign_up_closed:
      'Die Registrierung ist hier ausgeschaltet. Bitten Sie den Inhaber eines Kontos um eine Einladung.',
    too_many_webhooks: 'Ein Projekt hat höchstens zehn weitere Adressen. Entfernen Sie zuerst eine.',
    no_webhook_address: 'Diese Adresse wurde entfernt. Tragen Sie sie zuerst wieder ein.',
    backup_running: 'Es wird schon gesichert. Die Sicherung steht danach in der Liste.',
    backup_failed: 'Die Sicherung ist fehlgeschlagen. Der Grund steht über der Liste.',
    captcha_failed:
      'Die Prüfung, dass Sie kein Roboter sind, schlug fehl oder dauerte zu lange. Versuchen Sie es erneut.',
    passkeys_unavailable:
      'Passkeys funktionieren an dieser Adresse nicht. Sie brauchen https und einen Hostnamen, oder http://localhost.',
    already_undone: 'Das wurde schon rückgängig gemacht.',
    undo_is_over: 'Das ist zu lange her, um es rückgängig zu machen.',
    nothing_to_restore_to: 'Sein Projekt ist entfernt. Machen Sie zuerst das rückgängig, unter „Änderungen“.',
    expired_users_are_deleted:
      'Das Projekt würde diese abgelaufenen Nutzer gleich wieder löschen. Schalten Sie das zuerst in den Einstellungen aus.',
    not_found:
      'Das gibt es nicht mehr: Jemand hat es inzwischen entfernt, oder Sie dürfen es nicht mehr sehen.',
    too_large: 'Das ist mehr, als der Dienst in einer Anfrage nimmt. Senden Sie weniger davon.',
    account_expired:
      'Der Tarif dieses Kontos ist abgelaufen. Verlängern Sie ihn, oder fragen Sie den Betreiber des Dienstes.',
    max_projects_reached:
      'Dieses Konto hat so viele Projekte, wie sein Tarif erlaubt. Entfernen Sie eines, oder nehmen Sie einen größeren Tarif.',
    max_scripts_reached:
      'Dieses Konto hat so viele Skripte, wie sein Tarif erlaubt. Entfernen Sie eines, oder nehmen Sie einen größeren Tarif.',
    max_users_reached:
      'Dieses Konto hat so viele Nutzer, wie sein Tarif erlaubt. Entfernen Sie einige, oder nehmen Sie einen größeren Tarif.',
    max_obfuscations_reached:
      'Alle Schutzvorgänge dieses Monats sind verbraucht. Warten Sie auf den nächsten Monat, oder nehmen Sie einen größeren Tarif.',
    too_many_keys_to_generate:
      'Der Tarif dieses Kontos hat nicht für so viele Platz. Erzeugen Sie weniger, oder nehmen Sie einen größeren Tarif.',
    too_many_users_to_import:
      'Der Tarif dieses Kontos hat nicht für so viele Platz. Importieren Sie weniger, oder nehmen Sie einen größeren Tarif.',
    max_functions_reached:
      'Das Skript hat so viele Funktionen, wie es haben darf. Entfernen Sie zuerst eine.',
    variables_changed:
      'Jemand hat die Variablen geändert, seit Sie dies geöffnet haben. Schließen Sie es, und öffnen Sie es neu.',
    max_announcements_reached:
      'Das Projekt hat so viele Mitteilungen, wie es haben darf. Entfernen Sie zuerst eine.',
    already_banned: 'Das ist schon gebannt. Bearbeiten Sie jenen Bann, oder heben Sie ihn auf.',
    too_many_bans: 'Das Projekt hat so viele Banne, wie es haben darf. Heben Sie zuerst einige auf.',
    no_device_known:
      'An diesen Schlüssel ist kein Gerät gebunden, das sich erkennen lässt, also gibt es keines zu bannen.',
    no_network_known:
      'Dieser Schlüssel wurde in den letzten 30 Tagen nicht benutzt, also ist sein Netz nicht bekannt.',
    no_chat_known: 'Dieser Nutzer hat kein Chat-Konto.',
    too_many_chat_members:
      'Die Liste würde länger, als sie sein darf. Nehmen Sie zuerst heraus, wer gegangen ist.',
    chat_already_has_key:
      'Ein anderer Nutzer dieses Projekts hat diese Chat-ID. Geben Sie eine andere ein, oder öffnen Sie jenen Nutzer.',
    user_already_blacklisted: 'Jemand hat diesen Nutzer inzwischen gesperrt.',
    user_not_blacklisted: 'Jemand hat die Sperre dieses Nutzers inzwischen aufgehoben.',
    user_not_locked: 'Dieser Schlüssel ist nicht mehr an ein Netzwerk gebunden.',
    user_already_paused: 'Jemand hat diesen Schlüssel inzwischen pausiert.',
    user_not_paused: 'Jemand hat diesen Schlüssel inzwischen fortgesetzt.',
    user_expired:
      'Dieser Schlüssel ist schon abgelaufen, also gibt es keine Zeit, die bleibt. Verlängern Sie ihn zuerst.',
    user_never_expires: 'Dieser Schlüssel läuft nie ab, also gibt es nichts zu verlängern.',
    max_plans_reached: 'Dieses Projekt hat so viele Pläne, wie es darf. Entfernen Sie zuerst einen.',
    plan_name_taken: 'Ein anderer Plan dieses Projekts heißt schon so. Geben Sie einen anderen Namen ein.',
    plan_in_use: 'Schlüssel folgen diesem Plan. Wählen Sie den Plan, dem sie dann folgen.',
    no_fingerprint_assigned: 'Es ist kein Gerät gebunden, also gibt es nichts zurückzusetzen.',
    fingerprint_reset_on_cooldown:
      'Das Gerät wurde vor Kurzem zurückgesetzt. Warten Sie, bis die Wartezeit vorbei ist, oder wählen Sie „Auch während der Wartezeit“.',
    fingerprint_resets_disabled:
      'Das Zurücksetzen ist in den Einstellungen dieses Projekts ausgeschaltet. Schalten Sie es ein, oder wählen Sie „Auch während der Wartezeit“.',
    tier_in_use: 'Konten haben diesen Tarif. Geben Sie ihnen zuerst einen anderen.',
    session_not_found: 'Diese Sitzung ist zu Ende.',
    idempotency_answer_lost:
      'Das wurde getan, aber die Antwort ging unterwegs verloren. Laden Sie die Seite neu, um es zu sehen.',
  },
  overLimit: {
    too_large: (limit) => `Der Dienst nimmt höchstens ${bytes(limit)} auf einmal. Senden Sie weniger davon.`,
    too_many_keys_to_generate: (limit) =>
      `Höchstens ${number(limit)} Schlüssel werden auf einmal erzeugt. Geben Sie eine kleinere Zahl ein.`,
    too_many_users_to_import: (limit) =>
      `Höchstens ${number(limit)} Nutzer werden auf einmal importiert. Teilen Sie die Datei.`,
  },
}
