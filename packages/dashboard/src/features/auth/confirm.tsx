/** Confirms a sign-up. This needs a click, because mail scanners open links. */
import { useMutation } from '@tanstack/react-query'
import { isGone } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { AuthForm, AuthLayout, DeadLink, useEnter } from './auth-layout.tsx'

export function ConfirmPage({ link }: { link: string }) {
  const call = useCall()
  const enter = useEnter()
  const confirm = useMutation({ mutationFn: () => auth.signUpConfirm(call, link) })
  if (isGone(confirm.error))
    return (
      <DeadLink hint={text.linkConfirm}>
        <a className="button" href={addressOf.signUp}>
          {text.signUp}
        </a>
      </DeadLink>
    )
  return (
    <AuthLayout title={text.confirmTitle} intro={text.confirmIntro}>
      <AuthForm
        submit={text.confirmIt}
        isPending={confirm.isPending}
        error={confirm.error}
        onSubmit={() => confirm.mutate(undefined, { onSuccess: enter })}
      />
    </AuthLayout>
  )
}
