@ A game for tests: it counts frames, tells keys, battery memory and the clock, and draws a pixel
@ for each frame. Assembled by tests/engine/emulator/advance_image.py's test.
    b start
    .space 0xFC
start:
    mov r0, #0x04000000
    mov r2, #0x02000000
    mov r3, #0x03000000
    mov r4, #0x06000000
    mov r1, #0x1400
    orr r1, r1, #3
    strh r1, [r0]           @ DISPCNT: mode 3, background 2, sprites
    mvn r1, #0
    mov r6, #0x05000000
    str r1, [r6, #0x200]    @ a sprite of 8x8 white pixels at (100, 50), set once
    str r1, [r6, #0x21C]
    add r6, r4, #0x14000
    mov r7, #32
tile:
    subs r7, r7, #4
    str r1, [r6, r7]
    bne tile
    mov r6, #0x07000000
    mov r1, #50
    strh r1, [r6]
    mov r1, #100
    strh r1, [r6, #2]
    mov r1, #0x200
    strh r1, [r6, #4]
    add r6, r4, #0x12C00    @ behind the last row but one
    sub r6, r6, #480
    mov r1, #0x1F           @ red, green, blue, white at the start of the last row
    strh r1, [r6]
    mov r1, r1, lsl #5
    strh r1, [r6, #2]
    mov r1, r1, lsl #5
    strh r1, [r6, #4]
    mvn r1, #0
    strh r1, [r6, #6]
    mov r5, #0
frame:
    ldrh r1, [r0, #6]       @ VCOUNT
    cmp r1, #160
    bne frame
    add r5, r5, #1
    str r5, [r2]            @ 02000000, 03000000: frames
    str r5, [r3]
    add r6, r0, #0x130
    ldrh r1, [r6]           @ KEYINPUT
    mvn r1, r1
    mov r1, r1, lsl #22
    mov r1, r1, lsr #22
    strh r1, [r2, #4]       @ 02000004: keys held
    ldr r7, [r2, #8]
    mla r6, r1, r5, r7
    str r6, [r2, #8]        @ 02000008: sum of keys * frame
    mov r6, #0x0E000000
    tst r1, #8
    beq look
    add r7, r6, #0x5500     @ START is held: look at the second bank of the battery memory
    add r7, r7, #0x55
    mov r1, #0xAA
    strb r1, [r7]
    add r8, r6, #0x2A00
    add r8, r8, #0xAA
    mov r1, #0x55
    strb r1, [r8]
    mov r1, #0xB0
    strb r1, [r7]
    mov r1, #1
    strb r1, [r6]
look:
    ldrb r1, [r6, #16]
    strb r1, [r2, #12]      @ 0200000C: a byte of the battery memory
    mov r7, r5, lsl #17
    mov r7, r7, lsr #16
    strh r5, [r4, r7]       @ a pixel a frame
    mov r8, #0x08000000     @ the clock: its pins are at 080000C4
    add r8, r8, #0xC4
    mov r1, #1
    strh r1, [r8, #4]       @ pins can be read
    strh r1, [r8]
    mov r1, #5
    strh r1, [r8]           @ selected
    mov r1, #7
    strh r1, [r8, #2]       @ all pins are outputs
    mov r9, #0x65           @ command: read date and time
    mov r10, #8
send:
    mov r1, r9, lsr #7
    and r1, r1, #1
    mov r1, r1, lsl #1
    orr r1, r1, #4
    strh r1, [r8]
    orr r1, r1, #1
    strh r1, [r8]
    mov r9, r9, lsl #1
    subs r10, r10, #1
    bne send
    mov r1, #5
    strh r1, [r8, #2]       @ the data pin is an input
    mov r11, #0
byte:
    mov r9, #0
    mov r10, #8
bit:
    mov r1, #4
    strh r1, [r8]
    mov r1, #5
    strh r1, [r8]
    ldrh r1, [r8]
    and r1, r1, #2
    mov r9, r9, lsr #1
    orr r9, r9, r1, lsl #6
    subs r10, r10, #1
    bne bit
    and r9, r9, #0xFF
    add r6, r2, #0x20
    strb r9, [r6, r11]      @ 02000020: year, month, day, weekday, hour, minute, second
    add r11, r11, #1
    cmp r11, #7
    bne byte
    mov r1, #1
    strh r1, [r8]           @ done
    strh r1, [r8]
leave:
    ldrh r1, [r0, #6]
    cmp r1, #160
    beq leave
    b frame
