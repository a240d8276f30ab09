from engine.loop.metrics import SpeedMeter


def test_the_speed_is_that_of_the_window():
    meter = SpeedMeter(window_s=10.0)
    assert meter.per_s() == 0
    for second in range(31):
        meter.mark(second, 2 * second if second < 15 else 30)
    assert meter.per_s() == 0
    meter.mark(31, 41)
    assert meter.per_s() == 1.1


def test_counts_that_come_faster_than_the_interval_are_not_noted():
    meter = SpeedMeter(window_s=10.0, interval_s=1.0)
    for tenth in range(21):
        meter.mark(tenth / 10, tenth)
    assert meter.per_s() == 10
    meter.mark(2.5, 1000)
    assert meter.per_s() == 10
