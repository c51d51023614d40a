/** Why the service refused something, by the type of its error. */
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
    captcha_failed:
      'Die Prüfung, dass Sie kein Roboter sind, schlug fehl oder dauerte zu lange. Versuchen Sie es erneut.',
    passkeys_unavailable:
      'Passkeys funktionieren an dieser Adresse nicht. Sie brauchen https und einen Hostnamen, oder http://localhost.',
  },
}
