/** The last step of signing up. It asks for a click, because programs that read mail open every link in it. */
import { useMutation } from '@tanstack/react-query'
import { addressOf } from '../../address.ts'
import { useCall } from '../../api.ts'
import { auth } from '../../auth-api.ts'
import { text } from '../../text/text.ts'
import { isGone } from '../trouble.tsx'
import { DeadLink, Door, DoorForm, useEnter } from './door.tsx'

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
    <Door title={text.confirmTitle} intro={text.confirmIntro}>
      <DoorForm
        submit={text.confirmIt}
        isPending={confirm.isPending}
        error={confirm.error}
        onSubmit={() => confirm.mutate(undefined, { onSuccess: enter })}
      />
    </Door>
  )
}
