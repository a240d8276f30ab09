@ Cartridge header, start-up and the interrupt handler (ARM code).
    .section .header, "ax"
    .arm
    .global _start
_start:
    b start
    .space 156                      @ where a licensed game carries the logo
    .space 32                       @ title, code, sum: build.py writes them
    .ascii "FLASH1M_V103"           @ tells an emulator of the 128 KB of flash memory
    .align 2

    .text
    .arm
    .align 2
start:
    mov r0, #0x12                   @ interrupt mode
    msr cpsr_c, r0
    ldr sp, =0x03007FA0
    mov r0, #0x1F                   @ system mode, interrupts allowed
    msr cpsr_c, r0
    ldr sp, =0x03007F00

    mov r0, #0x02000000             @ all of the RAM is zero at the start
    mov r1, #0x40000
    bl clear
    mov r0, #0x03000000
    ldr r1, =0x7E00                 @ not the stack's top, which is in use
    bl clear

    ldr r0, =__data_start
    ldr r1, =__data_end
    ldr r2, =__data_load
1:  cmp r0, r1
    ldrlo r3, [r2], #4
    strlo r3, [r0], #4
    blo 1b

    ldr r0, =0x04000204             @ cartridge waits 3/1 with prefetch
    ldr r1, =0x4317
    strh r1, [r0]
    ldr r0, =interrupt
    ldr r1, =0x03007FFC
    str r0, [r1]
    ldr r0, =main
    mov lr, pc
    bx r0
2:  b 2b

clear:                              @ r0 from, r1 bytes (a multiple of 4)
    mov r2, #0
3:  str r2, [r0], #4
    subs r1, r1, #4
    bne 3b
    bx lr

@ Only the vertical blank interrupts. It is acknowledged for the hardware and for the BIOS, whose
@ VBlankIntrWait looks at 03007FF8, and counted; all else is done by wait_frame().
    .section .iwram, "awx", %progbits
    .arm
    .align 2
interrupt:
    mov r0, #0x04000000
    ldr r1, [r0, #0x200]!           @ enabled | raised << 16
    and r1, r1, r1, lsr #16
    strh r1, [r0, #2]
    ldr r2, =0x03007FF8
    ldrh r3, [r2]
    orr r3, r3, r1
    strh r3, [r2]
    ldr r2, =gMain
    ldr r3, [r2, #0x20]
    add r3, r3, #1
    str r3, [r2, #0x20]
    strh r1, [r2, #0x1C]
    bx lr
    .pool
